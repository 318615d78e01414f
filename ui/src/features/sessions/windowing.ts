/**
 * Which rows of a long list are in sight. Rows have one height each, so that what is out of sight is room alone: ten
 * thousand sessions cost as much as one screen of them.
 */
import { type RefObject, useLayoutEffect, useState } from "react";
import type { Group } from "../../protocol/session_groups";
import type { Family } from "../../protocol/sessions";

/** In CSS pixels, as `sessions.css` has them. */
export const heights = { row: 28, project: 28, day: 24, gap: 12 };

/** Rows drawn beyond both ends, so that the arrow keys and a slow frame find one. */
const beyond = 20;
const step = beyond * heights.row;

/** A piece of the list in sight, from its top; all of it where nothing has a size. */
export type Sight = { from: number; to: number };

export function useSight(list: RefObject<HTMLElement | null>): Sight {
  const [sight, setSight] = useState<Sight>({ from: 0, to: 2 * step });
  useLayoutEffect(() => {
    const element = list.current;
    if (!element) return;
    const look = () => {
      const { scrollTop, clientHeight } = element;
      const from = Math.floor(scrollTop / step) * step - step;
      const to =
        clientHeight === 0 ? Number.POSITIVE_INFINITY : from + Math.ceil(clientHeight / step + 3) * step;
      setSight((now) => (now.from === from && now.to === to ? now : { from, to }));
    };
    look();
    element.addEventListener("scroll", look, { passive: true });
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => {
      element.removeEventListener("scroll", look);
      observer.disconnect();
    };
  }, [list]);
  return sight;
}

/** A list of one day where it stands: the rows in sight, and the room above and below them. */
export type Slice = { first: number; families: readonly Family[]; above: number; below: number };

type IsOpen = (family: Family) => boolean;
const heightOf = (family: Family, isOpen: IsOpen) =>
  heights.row * (1 + (isOpen(family) ? family.subagents.length : 0));

/** For each list of each group, in their order. */
export function slicesOf(groups: readonly Group[], sight: Sight, isOpen: IsOpen): Slice[] {
  const slices: Slice[] = [];
  let top = 0;
  for (const group of groups) {
    top += heights.project;
    for (const { families } of group.days) {
      if (group.days.length > 1) top += heights.day;
      const slice = { first: 0, above: 0, below: 0 };
      let last = 0;
      for (const family of families) {
        const height = heightOf(family, isOpen);
        if (top + height < sight.from) {
          slice.first += 1;
          slice.above += height;
        } else if (top > sight.to) {
          slice.below += height;
        } else {
          last += 1;
        }
        top += height;
      }
      slices.push({ ...slice, families: families.slice(slice.first, slice.first + last) });
    }
    top += heights.gap;
  }
  return slices;
}
