import { describe, expect, it } from "vitest";
import { eventLog, untoldUsage } from "../testing/events";
import type { Event } from "./generated";
import { emptyLog, type HeldLog, holding } from "./held_log";
import { appendLive, appendPage, type EventWindow, prependPage } from "./window";

/** A run with an approval, a change that is rewound, and another run. */
function log(): Event[] {
  const { events, add } = eventLog("s");
  add("run.started", { prompt: "Rename it" });
  add("engine.request", { turn: 1, provider: "lab", model: "tiny", contextWindow: 8192 });
  add("engine.response", { usage: { ...untoldUsage, promptTokens: 100, completionTokens: 5 } });
  add("tool.call", { callId: "c", toolId: "edit_file", args: { path: "a.rs" } });
  add("approval.requested", { approvalId: "a", callId: "c", toolId: "edit_file" });
  add("approval.resolved", { approvalId: "a", decision: "approve" });
  add("file.changed", { path: "a.rs", callId: "c" });
  add("tool.result", { callId: "c", toolId: "edit_file", result: "written" });
  add("output.message", { content: "Renamed." });
  add("run.completed", {});
  add("session.rewound", { toSeq: 1, files: true, conversation: true });
  add("run.started", { prompt: "Otherwise" });
  add("run.failed", { code: "PROVIDER_FAILED", message: "It failed.", hint: "Try again." });
  return events;
}

const all = (events: readonly Event[]): EventWindow => ({ events, hasOlder: false, hasNewer: false });
const whole = (events: readonly Event[]) => holding(emptyLog, all(events));
const live = (before: HeldLog, events: readonly Event[]) => {
  const window = appendLive(before.window, events, false);
  if (window === "gap") throw new Error("a gap");
  return holding(before, window);
};

describe("a held log", () => {
  const events = log();

  it("is the same from live events one by one as from a page", () => {
    const one = events.reduce((now, event) => live(now, [event]), emptyLog);
    expect(one).toEqual(whole(events));
    expect(one.decided.decided).toMatchObject([{ approvalId: "a", takenBack: true }]);
    expect(one.usage).toMatchObject({ promptTokens: 100, requests: 1 });
  });

  it("is the same wherever a page ends and live events begin", () => {
    for (let at = 0; at <= events.length; at += 1)
      expect(live(whole(events.slice(0, at)), events.slice(at))).toEqual(whole(events));
  });

  it("is added up anew for an older page, and goes on for a newer one", () => {
    const [older, newer] = [events.slice(0, 5), events.slice(5)];
    const late = holding(emptyLog, { events: newer, hasOlder: true, hasNewer: false });
    expect(holding(late, prependPage(late.window, older, false))).toEqual(whole(events));
    const early = holding(emptyLog, { events: older, hasOlder: false, hasNewer: true });
    const grown = holding(early, appendPage(early.window, newer.slice(0, 1), false));
    expect(holding(grown, appendPage(grown.window, newer.slice(1), true))).toEqual(whole(events));
  });

  it("forgets what is no longer held", () => {
    expect(holding(whole(events), all(events.slice(3)))).toEqual(whole(events.slice(3)));
    expect(holding(whole(events), all(events.slice(0, 3)))).toEqual(whole(events.slice(0, 3)));
    expect(holding(whole(events), all([]))).toEqual(emptyLog);
  });

  it("stays the same object while nothing comes", () => {
    const before = whole(events);
    expect(live(before, events)).toBe(before);
  });
});
