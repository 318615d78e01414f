/**
 * Where the transcript stands while things change in it: at its end for who is at the end; for everybody else what
 * they read stays where it is, whatever comes, goes or turns out higher above it.
 *
 * Rows are ordinary content of a scroller, so that what is in view is the browser's business and never a guess.
 */
import { type RefObject, useLayoutEffect, useRef } from "react";

type Position = { top: number; height: number; view: number };

/** Nearer than this to the end counts as being at the end. */
export const endSlack = 40;

export const toEnd = (at: Position) => at.height - at.view - at.top;

/**
 * Whether it follows its end, decided from positions alone. Content that grows or is measured anew moves the end away; only someone who scrolls up leaves it. Rows that
 * shrink, and a view that grows, pull the position up with them, which is no scrolling. Nor is it where nobody can have
 * done it: a browser may put a scroller that has just come to overflow back to its top.
 */
export function follows(following: boolean, before: Position, now: Position, mayBeReader: boolean): boolean {
  if (toEnd(now) <= endSlack) return true;
  const up = before.top - now.top;
  const pulled = Math.max(0, before.height - now.height) + Math.max(0, now.view - before.view);
  return following && (up <= pulled + 1 || !mayBeReader);
}

/**
 * Something near the top of what is seen, and how far below the scroller's top it is. With the rows below it: a row may
 * become a part of another when an older page comes.
 */
type Anchor = { element: Element; top: number };

export type Steady = {
  /** Puts it right after a change; to be called after each. */
  hold: () => void;
  /** Takes note of where it was scrolled to; whether it follows the end from now on. */
  scrolled: () => boolean;
  /** Shows an element at the top, in the middle, or with its end at the end, and stays there. */
  show: (element: Element, at: "start" | "center" | "end") => void;
  /** Shows a place in a text in the middle, unless it is seen already. */
  reach: (place: Range) => void;
};

/** A place nearer than this to an edge of the scroller may lie under something, or is half cut. */
const edge = 64;

type Given = {
  scroller: RefObject<HTMLElement | null>;
  following: boolean;
  setFollowing: (following: boolean) => void;
};

export function useSteady({ scroller, following, setFollowing }: Given): Steady {
  const last = useRef<Position>({ top: 0, height: 0, view: 0 });
  const anchors = useRef<readonly Anchor[]>([]);
  const follow = useRef(following);
  follow.current = following;
  const hand = useHand(scroller);
  const change = useLastChange();

  /** Where it is now, and whether it follows the end from now on. */
  const look = (el: HTMLElement) => {
    const [before, now] = [last.current, position(el)];
    if (now.height !== before.height || now.view !== before.view) change.note();
    const isAtRest = change.isLongAgo();
    return { now, next: follows(follow.current, before, now, isAtRest || hand.isOn()) };
  };
  const scrollTo = (el: HTMLElement, top: number) => {
    el.scrollTop = top;
    last.current = position(el);
  };
  const scrolled = () => {
    const el = scroller.current;
    if (!el) return follow.current;
    const { now, next } = look(el);
    // What is below it grew and shrank again between two frames: no size changed, but the end was left.
    if (next && follow.current && !hand.isOn() && toEnd(now) >= 1) {
      scrollTo(el, el.scrollHeight);
      return true;
    }
    last.current = now;
    anchors.current = next ? [] : anchorsOf(el);
    return next;
  };
  const hold = () => {
    const el = scroller.current;
    if (!el) return;
    if (follow.current) {
      const { now, next } = look(el);
      // Who scrolled up a moment ago must not be drawn back before that is heard of.
      if (!next) {
        last.current = now;
        anchors.current = anchorsOf(el);
        follow.current = false;
        setFollowing(false);
        return;
      }
      scrollTo(el, el.scrollHeight);
      return;
    }
    const held = anchors.current.find(({ element }) => element.isConnected);
    const moved = held ? topIn(el, held.element) - held.top : 0;
    if (Math.abs(moved) >= 1) scrollTo(el, el.scrollTop + moved);
    else last.current = position(el);
    if (held === undefined || held !== anchors.current[0]) anchors.current = anchorsOf(el);
  };
  const show: Steady["show"] = (element, at) => {
    const el = scroller.current;
    if (!el) return;
    const { height } = element.getBoundingClientRect();
    const room = el.clientHeight - height;
    const above = { start: 0, center: Math.max(0, room / 2), end: room }[at];
    scrollTo(el, el.scrollTop + topIn(el, element) - above);
    anchors.current = [{ element, top: topIn(el, element) }];
  };
  const reach = (place: Range) => {
    const el = scroller.current;
    if (!el) return;
    const { top, bottom } = place.getBoundingClientRect();
    const frame = el.getBoundingClientRect();
    if (top >= frame.top + edge && bottom <= frame.bottom - edge) return;
    scrollTo(el, el.scrollTop + (top + bottom) / 2 - (frame.top + frame.bottom) / 2);
    anchors.current = anchorsOf(el);
  };

  const latest = useRef(hold);
  latest.current = hold;
  useLayoutEffect(() => {
    const el = scroller.current;
    const inner = el?.querySelector(".transcript-inner");
    if (!el || !inner) return;
    const observer = new ResizeObserver(() => latest.current());
    observer.observe(inner);
    observer.observe(el);
    return () => observer.disconnect();
  }, [scroller]);
  return { hold, scrolled, show, reach };
}

/** What somebody does goes on scrolling for so long, in milliseconds. */
const handLasts = 1_500;
/** And the browser scrolls by itself for so long after something came or went. */
const settlesIn = 500;

/** When it last changed, counted from when that was painted: a busy page may take long to come to it. */
function useLastChange() {
  const at = useRef(Number.NEGATIVE_INFINITY);
  const painting = useRef<number | null>(null);
  const note = () => {
    at.current = Number.POSITIVE_INFINITY;
    if (painting.current !== null) cancelAnimationFrame(painting.current);
    painting.current = requestAnimationFrame(() => {
      painting.current = null;
      at.current = performance.now();
    });
  };
  return { note, isLongAgo: () => performance.now() - at.current > settlesIn };
}

/** Whether somebody's hand is on it, or was a moment ago. */
function useHand(scroller: RefObject<HTMLElement | null>) {
  const hand = useRef({ at: Number.NEGATIVE_INFINITY, isDown: false });
  useLayoutEffect(() => {
    const el = scroller.current;
    if (!el) return;
    const listening = new AbortController();
    const { signal } = listening;
    const feel = ({ type }: Event) => {
      hand.current = { at: performance.now(), isDown: hand.current.isDown || type === "pointerdown" };
    };
    const letGo = () => {
      if (hand.current.isDown) hand.current = { at: performance.now(), isDown: false };
    };
    // The focus comes from elsewhere by a key, and what gets it is brought into sight.
    for (const sign of ["wheel", "touchmove", "pointerdown", "keydown", "focusin"])
      el.addEventListener(sign, feel, { passive: true, signal });
    // It may be let go elsewhere.
    for (const sign of ["pointerup", "pointercancel"]) window.addEventListener(sign, letGo, { signal });
    return () => listening.abort();
  }, [scroller]);
  const isOn = () => hand.current.isDown || performance.now() - hand.current.at < handLasts;
  return { isOn };
}

export function position(el: HTMLElement): Position {
  return { top: el.scrollTop, height: el.scrollHeight, view: el.clientHeight };
}

const topIn = (scroller: Element, element: Element) =>
  element.getBoundingClientRect().top - scroller.getBoundingClientRect().top;

const rowsBelow = 3;

/** The first row that reaches into view, and within a long one the first part that does; then rows below it. */
function anchorsOf(scroller: HTMLElement): Anchor[] {
  const inner = scroller.querySelector(".transcript-inner");
  const edge = scroller.getBoundingClientRect().top;
  const row = inner && firstBelow(inner.children, edge);
  if (!row) return [];
  let element = row;
  for (const parts of [".markdown-group", ".code-lines > div"]) {
    if (element.getBoundingClientRect().top >= edge) break;
    element = firstBelow(element.querySelectorAll(parts), edge) ?? element;
  }
  const elements = [element];
  for (
    let next = row.nextElementSibling;
    next && elements.length <= rowsBelow;
    next = next.nextElementSibling
  ) {
    elements.push(next);
  }
  return elements.map((one) => ({ element: one, top: topIn(scroller, one) }));
}

/** Of elements one below the other the first that ends below the edge. */
function firstBelow(elements: HTMLCollection | NodeListOf<Element>, edge: number): Element | null {
  let [from, to] = [0, elements.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    const bottom = elements[middle]?.getBoundingClientRect().bottom ?? 0;
    if (bottom > edge) to = middle;
    else from = middle + 1;
  }
  return elements[from] ?? null;
}
