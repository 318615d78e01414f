import { describe, expect, it } from "vitest";
import { eventLog } from "../testing/events";
import {
  appendLive,
  appendPage,
  type EventWindow,
  emptyWindow,
  firstSeq,
  isFull,
  lastSeq,
  maxEvents,
  maxEventsWhileReading,
  maxFoldedEvents,
  olderPageSize,
  pageSize,
  prependPage,
} from "./window";

const log = eventLog("s");
for (let i = 0; i < 4000; i += 1) log.add("output.message", { content: "x" });
const slice = (from: number, to: number) => log.events.slice(from - 1, to);
const windowOf = (from: number, to: number): EventWindow => ({
  events: slice(from, to),
  hasOlder: from > 1,
  hasNewer: false,
});
const joined = (window: EventWindow | "gap"): EventWindow => {
  if (window === "gap") throw new Error("unexpected gap");
  return window;
};

describe("the window of events", () => {
  it("takes live events once each, in order", () => {
    const next = joined(appendLive(windowOf(1, 10), slice(8, 12), false));
    expect(next.events.map((event) => event.seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  });

  it("reports a gap instead of showing a log with a hole", () => {
    expect(appendLive(windowOf(1, 10), slice(12, 12), false)).toBe("gap");
    expect(joined(appendLive(emptyWindow, slice(1, 1), false)).events).toHaveLength(1);
  });

  it("never holds a whole long session while following its end", () => {
    let window = windowOf(1, 10);
    for (let at = 11; at <= 4000; at += 50)
      window = joined(appendLive(window, slice(at, Math.min(4000, at + 49)), false));
    expect(window.events.length).toBeLessThanOrEqual(maxEvents + pageSize);
    expect(lastSeq(window)).toBe(4000);
    expect(window.hasOlder).toBe(true);
  });

  it("lets the live end go rather than what is being read", () => {
    let window = windowOf(1, 10);
    for (let at = 11; at <= 4000; at += 50)
      window = joined(appendLive(window, slice(at, Math.min(4000, at + 49)), true));
    expect(firstSeq(window)).toBe(1);
    expect(window.events.length).toBeLessThanOrEqual(maxEventsWhileReading);
    expect(window.hasNewer).toBe(true);
  });

  it("holds more where calls that only read are folded into a few lines, but not any number", () => {
    const reading = eventLog("s");
    for (let call = 0; call < 5000; call += 1) {
      const callId = `c${call}`;
      reading.add("tool.call", { callId, toolId: "read_file", category: "read" });
      reading.add("tool.result", { callId, toolId: "read_file" });
    }
    let window = emptyWindow;
    for (let at = 0; at < 10_000; at += pageSize) {
      expect(window.events.length).toBeLessThanOrEqual(maxFoldedEvents);
      expect(isFull(window)).toBe(window.events.length + olderPageSize(window) > maxFoldedEvents);
      window = joined(appendLive(window, reading.events.slice(at, at + pageSize), false));
    }
    expect(window.events.length).toBeGreaterThan(maxFoldedEvents - 2 * pageSize);
    expect(lastSeq(window)).toBe(10_000);
  });

  it("drops the far end when older pages come, and gets it back page by page", () => {
    let window = windowOf(2001, 3200);
    for (let at = 2000; at > 1000; at -= pageSize)
      window = prependPage(window, slice(at - pageSize + 1, at), true);
    expect(firstSeq(window)).toBe(1001);
    expect(window.events.length).toBeLessThanOrEqual(maxEvents + pageSize);
    expect(window.hasNewer).toBe(true);
    const last = lastSeq(window) ?? 0;
    window = appendPage(window, slice(last - 5, last + pageSize), false);
    expect(lastSeq(window)).toBe(last + pageSize);
    expect(appendPage(window, slice(3900, 4000), true).hasNewer).toBe(false);
  });
});
