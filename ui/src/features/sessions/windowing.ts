/**
 * Which rows of a long list are in sight. A row's height is known before it is drawn, so that what is out of sight is
 * room alone: ten thousand sessions cost as much as one screen of them.
 */
import { type RefObject, useLayoutEffect, useRef, useState } from "react";
import type { SessionSummary } from "../../protocol/generated";
import type { Group } from "../../protocol/session_groups";
import type { Family } from "../../protocol/sessions";

/** In CSS pixels, as `sessions.css` has them. */
const comfortable = { row: 28, line: 20, project: 28, day: 24, gap: 12 };
const compact: typeof comfortable = { row: 24, line: 16, project: 24, day: 24, gap: 8 };

export const heightsNow = () =>
  document.documentElement.dataset.density === "compact" ? compact : comfortable;

/** Drawn beyond both ends, so that the arrow keys and a slow frame find a row. */
const beyond = 4 * comfortable.row;
/** The sight moves by this much at once, so that few frames of scrolling draw anything. */
const step = beyond;

/** A piece of the list in sight, from its top; all of it where nothing has a size. A change of density changes `row`. */
type Sight = { from: number; to: number; width?: number; row?: number };

/** The list is as wide as this many pixels or a little wider, so that few widths place anything anew. */
const widthStep = 8;

export function useSight(list: RefObject<HTMLElement | null>): Sight {
  const [sight, setSight] = useState<Sight>({ from: 0, to: 2 * beyond });
  useLayoutEffect(() => {
    const element = list.current;
    if (!element) return;
    const look = () => {
      const { scrollTop, clientHeight } = element;
      const from = Math.floor(scrollTop / step) * step - beyond;
      const to =
        clientHeight === 0
          ? Number.POSITIVE_INFINITY
          : Math.ceil((scrollTop + clientHeight) / step) * step + beyond;
      const width = Math.floor(element.clientWidth / widthStep) * widthStep;
      const { row } = heightsNow();
      setSight((now) =>
        now.from === from && now.to === to && now.width === width && now.row === row
          ? now
          : { from, to, width, row },
      );
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

/** What is drawn of a list of one day, and the room below for what is not. */
export type Slice = { drawn: readonly Drawn[]; below: number };
/** A family with its number in its list, and the room above it for those that are not drawn. */
export type Drawn = { family: Family; number: number; room: number };

type IsOpen = (family: Family) => boolean;
/** How high the row of a session is that is nobody's sub-agent. */
export type HeightOf = (session: SessionSummary) => number;

const oneLine: HeightOf = () => heightsNow().row;

/** For each list of each group, in their order. `kept` is drawn wherever it stands. */
export function slicesOf(
  groups: readonly Group[],
  sight: Sight,
  isOpen: IsOpen,
  kept: string | null,
  heightOf = oneLine,
): Slice[] {
  const slices = groups.flatMap(({ days }) => days.map(() => ({ drawn: [] as Drawn[], below: 0 })));
  eachPlaced(groups, isOpen, heightOf, (family, number, list, top, bottom) => {
    const slice = slices[list];
    if (!slice) return;
    const isInSight = bottom >= sight.from && top <= sight.to;
    if (isInSight || (kept !== null && rowIn(family, kept) !== -1)) {
      slice.drawn.push({ family, number, room: slice.below });
      slice.below = 0;
    } else {
      slice.below += bottom - top;
    }
  });
  return slices;
}

/** Where a session's row stands, from the top of the list; null where the list doesn't have it. */
export function placeOf(groups: readonly Group[], sessionId: string, isOpen: IsOpen, heightOf = oneLine) {
  const heights = heightsNow();
  const place = eachPlaced(groups, isOpen, heightOf, (family, _number, _list, top) => {
    const row = rowIn(family, sessionId);
    if (row === -1 || (row > 0 && !isOpen(family))) return undefined;
    const first = heightOf(family.session);
    if (row === 0) return { top, bottom: top + first };
    const bottom = top + first + row * heights.row;
    return { top: bottom - heights.row, bottom };
  });
  return place ?? null;
}

/** Brings a session's row in sight when it becomes that one; after that the list is the user's. */
export function useBroughtInSight(
  list: RefObject<HTMLElement | null>,
  sessionId: string | null,
  groups: readonly Group[],
  isOpen: IsOpen,
  heightOf = oneLine,
): void {
  const brought = useRef<string | null>(null);
  useLayoutEffect(() => {
    if (brought.current === sessionId) return;
    const element = list.current;
    const place = sessionId === null ? null : placeOf(groups, sessionId, isOpen, heightOf);
    if (sessionId !== null && (!element || !place || element.clientHeight === 0)) return;
    brought.current = sessionId;
    if (!element || !place) return;
    const { scrollTop, clientHeight } = element;
    // Its neighbour with it, so that one sees that the list goes on.
    const { row } = heightsNow();
    if (place.top < scrollTop) element.scrollTop = Math.max(0, place.top - row);
    else if (place.bottom > scrollTop + clientHeight) element.scrollTop = place.bottom + row - clientHeight;
  }, [list, sessionId, groups, isOpen, heightOf]);
}

/**
 * Goes through the families of each list, with where each begins and ends, until something is answered. Nothing is made
 * for each: there may be ten thousand.
 */
function eachPlaced<T>(
  groups: readonly Group[],
  isOpen: IsOpen,
  heightOf: HeightOf,
  ofFamily: (family: Family, number: number, list: number, top: number, bottom: number) => T | undefined,
): T | undefined {
  const heights = heightsNow();
  let top = 0;
  let list = 0;
  for (const group of groups) {
    top += heights.project;
    for (const { families } of group.days) {
      if (group.days.length > 1) top += heights.day;
      for (let number = 0; number < families.length; number += 1) {
        const family = families[number] as Family;
        const below = family.subagents.length > 0 && isOpen(family) ? family.subagents.length : 0;
        const bottom = top + heightOf(family.session) + heights.row * below;
        const answer = ofFamily(family, number, list, top, bottom);
        if (answer !== undefined) return answer;
        top = bottom;
      }
      list += 1;
    }
    top += heights.gap;
  }
  return undefined;
}

/** 0: the session's own row; -1: none of the family's. */
function rowIn({ session, subagents }: Family, sessionId: string): number {
  if (session.sessionId === sessionId) return 0;
  const at = subagents.findIndex((one) => one.sessionId === sessionId);
  return at === -1 ? -1 : at + 1;
}
