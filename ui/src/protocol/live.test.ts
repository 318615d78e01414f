import { describe, expect, it } from "vitest";
import { eventLog } from "../testing/fake";
import type { OutputDelta } from "./generated";
import {
  deltaStep,
  joinOverlap,
  liveEventStep,
  maxOutputChars,
  nothingLive,
  outputStep,
  turnKey,
  withPartial,
} from "./live";

const delta = (
  text: string,
  tokenType: OutputDelta["tokenType"] = "LLM_RESPONSE",
  turn = 1,
): OutputDelta => ({
  sessionId: "s",
  runId: "r",
  turn,
  tokenType,
  text,
});

describe("live", () => {
  it("joins deltas and measures how long the model thought", () => {
    let live = deltaStep(nothingLive, delta("hm", "LLM_THINKING"), 1000);
    live = deltaStep(live, delta("A"), 4000);
    live = deltaStep(live, delta("B"), 9000);
    expect(live.answer).toMatchObject({ text: "AB", thoughts: "hm", thoughtMs: 3000 });
    expect(live.thoughtMs[turnKey("r", 1)]).toBe(3000);
  });

  it("drops the answer for the stored message, and deltas of that turn that come late", () => {
    const { add } = eventLog("s");
    let live = deltaStep(nothingLive, delta("A"), 0);
    live = liveEventStep(live, add("output.message", { role: "assistant", content: "A" }, "r"));
    expect(live.answer).toBeNull();
    expect(deltaStep(live, delta("late"), 0).answer).toBeNull();
    expect(deltaStep(live, delta("next", "LLM_RESPONSE", 2), 0).answer?.text).toBe("next");
  });

  it("starts the answer anew when the request is retried", () => {
    const { add } = eventLog("s");
    const live = liveEventStep(
      deltaStep(nothingLive, delta("half"), 0),
      add("engine.retry", { turn: 1 }, "r"),
    );
    expect(deltaStep(live, delta("whole"), 0).answer?.text).toBe("whole");
  });

  it("keeps only the end of a command's output", () => {
    const live = outputStep(nothingLive, {
      sessionId: "s",
      runId: "r",
      callId: "c",
      text: `${"x".repeat(maxOutputChars)}end`,
    });
    expect(live.output.c).toHaveLength(maxOutputChars);
    expect(live.output.c?.endsWith("end")).toBe(true);
  });

  it("forgets a command's output when its result is stored", () => {
    const { add } = eventLog("s");
    const live = outputStep(nothingLive, { sessionId: "s", runId: "r", callId: "c", text: "x" });
    expect(liveEventStep(live, add("tool.result", { callId: "c" })).output).toEqual({});
  });

  it("joins a kept partial answer with the deltas that overlap it", () => {
    const live = deltaStep(nothingLive, delta("lo wor"), 0);
    expect(withPartial(live, { runId: "r", turn: 1, text: "hello w", thoughts: "" }).answer?.text).toBe(
      "hello wor",
    );
    expect(joinOverlap("abc", "xyz")).toBe("abcxyz");
    expect(joinOverlap("abc", "")).toBe("abc");
  });
});
