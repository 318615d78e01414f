import { expect, it } from "vitest";
import { eventLog } from "../../testing/events";
import { type Span, spansOf } from "./spans";

const calls = (spans: readonly Span[]): Span[] =>
  spans.flatMap((span) => (span.kind === "tool" ? [span] : calls(span.children)));

it("shows a call behind one that waits for the user as waiting, and as work once it has its turn", () => {
  const { events, add } = eventLog("s");
  add("run.started", { prompt: "Go" });
  for (const callId of ["a", "b"]) add("tool.call", { turn: 1, callId, toolId: "edit_file", args: {} });
  const asked = add("approval.requested", { approvalId: "x", callId: "a", toolId: "edit_file" });
  const looks = () => {
    const [, second] = calls(spansOf(events, { now: asked.ts + 60_000 }));
    return second?.pieces.map(({ look }) => look);
  };
  expect(looks()).toEqual(["wait"]);
  add("approval.resolved", { approvalId: "x", decision: "approve" });
  expect(looks()).toEqual(["work"]);
});
