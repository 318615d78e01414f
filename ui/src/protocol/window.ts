/**
 * The part of a session's log that is held in memory: a run of consecutive events, extended at either end by
 * pages and at its end by live frames, and bounded. Pure; fetching is the session store's work.
 */
import type { Event } from "./generated";

export const pageSize = 200;
/** Five pages: enough to scroll without fetching at each turn of the wheel, small for any session. */
export const maxEvents = 1000;
/** While reading further up, live events may pile up to here before the live end is let go. */
export const maxEventsWhileReading = 2000;

export type EventWindow = {
  events: readonly Event[];
  hasOlder: boolean;
  /** Events after the last held one exist in the log and were let go; live ones are not appended. */
  hasNewer: boolean;
};

export const emptyWindow: EventWindow = { events: [], hasOlder: false, hasNewer: false };

export function firstSeq(window: EventWindow): number | null {
  return window.events[0]?.seq ?? null;
}

export function lastSeq(window: EventWindow): number | null {
  return window.events.at(-1)?.seq ?? null;
}

/** Live events: in order, without repeats. A gap means the page is stale, so the caller must fetch anew. */
export function appendLive(
  window: EventWindow,
  events: readonly Event[],
  reading: boolean,
): EventWindow | "gap" {
  if (window.hasNewer) return window;
  const last = lastSeq(window);
  const fresh = events.filter((event) => last === null || event.seq > last);
  if (fresh.length === 0) return window;
  if (last !== null && fresh[0]?.seq !== last + 1) return "gap";
  const all = [...window.events, ...fresh];
  if (reading) {
    if (all.length <= maxEventsWhileReading) return { ...window, events: all };
    return { ...window, events: window.events, hasNewer: true };
  }
  const dropped = all.length > maxEvents + pageSize;
  return { ...window, events: dropped ? all.slice(-maxEvents) : all, hasOlder: window.hasOlder || dropped };
}

export function prependPage(window: EventWindow, page: readonly Event[], hasMore: boolean): EventWindow {
  const first = firstSeq(window);
  const older = page.filter((event) => first === null || event.seq < first);
  const all = [...older, ...window.events];
  const dropped = all.length > maxEvents + pageSize;
  return {
    events: dropped ? all.slice(0, maxEvents) : all,
    hasOlder: hasMore,
    hasNewer: window.hasNewer || dropped,
  };
}

/** A page fetched after the held events; `atEnd` says that it reaches the end of the log. */
export function appendPage(window: EventWindow, page: readonly Event[], atEnd: boolean): EventWindow {
  const last = lastSeq(window);
  const newer = page.filter((event) => last === null || event.seq > last);
  const all = [...window.events, ...newer];
  const dropped = all.length > maxEvents + pageSize;
  return {
    events: dropped ? all.slice(-maxEvents) : all,
    hasOlder: window.hasOlder || dropped,
    hasNewer: !atEnd,
  };
}
