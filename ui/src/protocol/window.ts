/**
 * The part of a session's log that is held in memory: a run of consecutive events, extended at either end by
 * pages and at its end by live frames, and bounded. Pure; fetching is the session store's work.
 */
import type { Event } from "./generated";
import { onlyReads } from "./items";

export const pageSize = 200;
/** Five pages: enough to scroll without fetching at each turn of the wheel, small for any session. */
export const maxEvents = 1000;
/** The same where nearly all of them are folded into a few lines, so that a thousand wouldn't fill what is seen. */
export const maxFoldedEvents = 6000;
const foldedWeight = 0.05;
/** Of words, with the call before them that they may keep from being folded. */
const unfoldingWeight = 2;
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

/**
 * How many events to fetch before the held ones: several pages where what is held is folded into a few lines, which don't
 * fill what is seen.
 */
export function olderPageSize({ events }: EventWindow): number {
  const reads = new Set<string>();
  const weight = events.reduce((sum, event) => sum + weightOf(event, reads), 0);
  return events.length > 0 && weight < events.length / 3 ? maxEvents : pageSize;
}

/** Another page at one end would let some go at the other. */
export function isFull(window: EventWindow): boolean {
  const { events } = window;
  return (
    held(events, maxEvents, "start").length < events.length ||
    events.length + olderPageSize(window) > maxFoldedEvents
  );
}

/** As many as are to be held, counted from one end: what is shown in a line with many others counts next to nothing. */
function held(events: readonly Event[], most: number, from: "start" | "end"): readonly Event[] {
  if (events.length <= most) return events;
  const reads = new Set<string>();
  const weights = events.map((event) => weightOf(event, reads));
  if (from === "end") weights.reverse();
  let [count, weight] = [0, 0];
  while (count < Math.min(events.length, maxFoldedEvents)) {
    weight += weights[count] ?? 0;
    if (weight > most) break;
    count += 1;
  }
  return from === "start" ? events.slice(0, count) : events.slice(events.length - count);
}

/** A page more than is held may gather, so that not each page is cut. */
function bounded(events: readonly Event[], from: "start" | "end") {
  const isCut = held(events, maxEvents + pageSize, from).length < events.length;
  return { events: isCut ? held(events, maxEvents, from) : events, isCut };
}

function weightOf(event: Event, reads: Set<string>): number {
  switch (event.type) {
    case "tool.call":
      if (onlyReads(event.payload)) reads.add(event.payload.callId);
      return onlyReads(event.payload) ? foldedWeight : 1;
    case "policy.decided":
    case "tool.result":
      return reads.has(event.payload.callId) ? foldedWeight : 1;
    case "output.message":
      // What stands between two calls keeps them from being folded.
      return event.payload.content === "" && !event.payload.thoughts ? foldedWeight : unfoldingWeight;
    case "engine.request":
    case "engine.response":
      return foldedWeight;
    default:
      return 1;
  }
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
    const fits = held(all, maxEventsWhileReading, "start").length === all.length;
    if (fits) return { ...window, events: all };
    return { ...window, events: window.events, hasNewer: true };
  }
  const { events: left, isCut } = bounded(all, "end");
  return { ...window, events: left, hasOlder: window.hasOlder || isCut };
}

export function prependPage(window: EventWindow, page: readonly Event[], hasMore: boolean): EventWindow {
  const first = firstSeq(window);
  const older = page.filter((event) => first === null || event.seq < first);
  const all = [...older, ...window.events];
  const { events, isCut } = bounded(all, "start");
  return { events, hasOlder: hasMore, hasNewer: window.hasNewer || isCut };
}

/** A page fetched after the held events; `atEnd` says that it reaches the end of the log. */
export function appendPage(window: EventWindow, page: readonly Event[], atEnd: boolean): EventWindow {
  const last = lastSeq(window);
  const newer = page.filter((event) => last === null || event.seq > last);
  const all = [...window.events, ...newer];
  const { events, isCut } = bounded(all, "end");
  return { events, hasOlder: window.hasOlder || isCut, hasNewer: !atEnd };
}
