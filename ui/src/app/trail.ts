/** Where the window has been, so that back and forward lead through it; and the place that is open. */

import { type RefObject, useEffect, useRef, useState } from "react";
import { useLatest } from "../components/latest";
import { useArki } from "../platform/context";
import type { Shown } from "../protocol/generated";

/** A view that has the main area to itself. */
export type Place = "inbox" | "memory" | "pipelines" | "usage";

/** Without a place, it is the session that is shown, or a new one. */
export type Address = { place: Place | null; shown: Shown | null };

/** The nearest come first in `back` and in `forward`. */
export type Trail = { back: readonly Address[]; now: Address; forward: readonly Address[] };

const most = 100;

function isSame(one: Address, other: Address): boolean {
  if (one.place !== null || other.place !== null) return one.place === other.place;
  return one.shown?.folder === other.shown?.folder && one.shown?.sessionId === other.shown?.sessionId;
}

/** A session that has not begun is come back to from a place alone: else it would be there before each that has. */
export function moved({ back, now }: Trail, to: Address): Trail {
  const isPassing = now.place === null && to.place === null && (now.shown?.sessionId ?? null) === null;
  return { back: isPassing ? back : [now, ...back].slice(0, most), now: to, forward: [] };
}

/** Null where nothing is left to go to. What is gone by now is passed over. */
export function stepped(
  { back, now, forward }: Trail,
  by: 1 | -1,
  isThere: (address: Address) => boolean,
): Trail | null {
  const ahead = by === -1 ? back : forward;
  const at = ahead.findIndex((one) => isThere(one) && !isSame(one, now));
  const to = ahead[at];
  if (to === undefined) return null;
  const left = ahead.slice(at + 1);
  return by === -1
    ? { back: left, now: to, forward: [now, ...forward] }
    : { back: [now, ...back], now: to, forward: left };
}

/** The place that is open, and the way back: whatever the window shows is kept as it changes. */
export function useTrail(shown: Shown | null, focusMessage: () => void) {
  const arki = useArki();
  const [place, setPlace] = useState<Place | null>(null);
  const [trail, setTrail] = useState<Trail>({ back: [], now: { place, shown }, forward: [] });
  const here = { place, shown };
  if (!isSame(trail.now, here)) setTrail(moved(trail, here));
  /** What had the focus before a place took it. */
  const before = useRef<Element | null>(null);
  useFocusKept(place, before, focusMessage);
  const isThere = ({ shown: at, place: of }: Address) =>
    of !== null || at?.sessionId == null || arki.sessions.get().some((one) => one.sessionId === at.sessionId);
  const after = (by: 1 | -1) => stepped(trail, by, isThere);
  /** `lead` shows a session. */
  const step = (by: 1 | -1, lead: (shown: Shown) => void) => {
    const next = after(by);
    if (next === null) return;
    const to = next.now;
    setTrail(next);
    setPlace(to.place);
    if (to.shown !== null && (to.place === null || to.shown.folder !== shown?.folder)) lead(to.shown);
  };
  return {
    place,
    open: (to: Place) => {
      if (place === null) before.current = document.activeElement;
      setPlace(to);
    },
    leave: () => {
      before.current = null;
      setPlace(null);
    },
    step,
    canStep: (by: 1 | -1) => after(by) !== null,
    /** Whether a place is one step back. */
    isFromPlace: place === null && after(-1)?.now.place != null,
  };
}

/** What had the focus in a place is out of sight once it is left, unless somebody has placed it elsewhere by then. */
function useFocusKept(place: Place | null, before: RefObject<Element | null>, focusMessage: () => void) {
  const was = useRef(place);
  const message = useLatest(focusMessage);
  useEffect(() => {
    const isLeft = was.current !== null && place === null;
    was.current = place;
    if (!isLeft) return;
    const timer = setTimeout(() => {
      const { activeElement } = document;
      if (activeElement !== document.body && !activeElement?.closest("[hidden]")) return;
      const { current } = before;
      if (current instanceof HTMLElement && current !== document.body && current.isConnected) current.focus();
      else message.current();
    }, 0);
    return () => clearTimeout(timer);
  }, [place, before, message]);
}
