/** The place that is open, and the way back: whatever the window shows is kept as it changes. */
import { type RefObject, useEffect, useRef, useState } from "react";
import { useLatest } from "../components/latest";
import { useArki } from "../platform/context";
import type { Shown } from "../protocol/generated";
import { type Address, isSame, moved, type Place, stepped, type Trail } from "./trail";

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
