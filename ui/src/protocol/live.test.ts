import { describe, expect, it } from "vitest";
import { eventLog } from "../testing/events";
import type { Frame, OutputDelta } from "./generated";
import {
  deltaStep,
  fresh,
  type Live,
  liveEventStep,
  liveFrameStep,
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

const noFrame: Frame = {
  events: [],
  conversations: [],
  deltas: [],
  commandOutput: [],
  callsGrow: [],
  elicitationsChanged: false,
  missed: false,
};

const said = (live: Live) => live.answer?.text.whole();

describe("live", () => {
  it("joins deltas and measures how long the model thought", () => {
    let live = deltaStep(nothingLive, delta("hm", "LLM_THINKING"), 1000);
    live = deltaStep(live, delta("A"), 4000);
    live = deltaStep(live, delta("B"), 9000);
    expect(said(live)).toBe("AB");
    expect(live.answer?.thoughts.whole()).toBe("hm");
    expect(live.answer?.thoughtMs).toBe(3000);
    expect(live.thoughtMs[turnKey("r", 1)]).toBe(3000);
  });

  it("drops the answer for the stored message, and deltas of that turn that come late", () => {
    const { add } = eventLog("s");
    let live = deltaStep(nothingLive, delta("A"), 0);
    live = liveEventStep(live, add("output.message", { role: "assistant", content: "A" }, "r"));
    expect(live.answer).toBeNull();
    expect(deltaStep(live, delta("late"), 0).answer).toBeNull();
    expect(said(deltaStep(live, delta("next", "LLM_RESPONSE", 2), 0))).toBe("next");
  });

  it("keeps an answer as it streamed in where its last words come in the frame that ends it", () => {
    const { add } = eventLog("s");
    const before = deltaStep(nothingLive, delta("A"), 0);
    const end = add("output.message", { role: "assistant", content: "AB", turn: 1 }, "r");
    const live = liveFrameStep(
      before,
      "s",
      { ...noFrame, events: [end], deltas: [delta("B"), delta("next", "LLM_RESPONSE", 2)] },
      0,
    );
    expect(live.told[turnKey("r", 1)]?.text.whole()).toBe("AB");
    expect(said(live)).toBe("next");
  });

  it("takes the end of an answer from what is stored where that comes before its last words", () => {
    const { add } = eventLog("s");
    const end = (content: string) => add("output.message", { role: "assistant", content, turn: 1 }, "r");
    const streamed = () => deltaStep(nothingLive, delta("one t"), 0);
    expect(liveEventStep(streamed(), end("one two")).told[turnKey("r", 1)]?.text.whole()).toBe("one two");
    expect(liveEventStep(streamed(), end("another")).told).toEqual({});
  });

  it("shows no output of a command that ends in the frame that brings it", () => {
    const { add } = eventLog("s");
    const ends = add("tool.result", { callId: "a" }, "r");
    const output = (callId: string) => ({ sessionId: "s", runId: "r", callId, text: "x", changed: [] });
    const frame = { ...noFrame, events: [ends], commandOutput: [output("a"), output("b")] };
    expect(liveFrameStep(nothingLive, "s", frame, 0).output).toEqual({ b: "x" });
  });

  it("starts the answer anew when the request is retried", () => {
    const { add } = eventLog("s");
    const live = liveEventStep(
      deltaStep(nothingLive, delta("half"), 0),
      add("engine.retry", { turn: 1 }, "r"),
    );
    expect(said(deltaStep(live, delta("whole"), 0))).toBe("whole");
  });

  it("shows an answer that broke off no more, and the one that takes its place from its beginning", () => {
    const { add } = eventLog("s");
    const cut = { role: "assistant", content: "one t", turn: 1, interrupted: true, retried: true } as const;
    const broken = liveEventStep(deltaStep(nothingLive, delta("one t"), 0), add("output.message", cut, "r"));
    const anew = liveEventStep(broken, add("engine.retry", { turn: 1 }, "r"));
    expect([broken.answer, anew.told]).toEqual([null, {}]);
    expect(said(deltaStep(anew, delta("one two"), 0))).toBe("one two");
  });

  it("shows the files that a command has changed until it ends", () => {
    const { add } = eventLog("s");
    const told = (changed: string[]) => ({ sessionId: "s", runId: "r", callId: "c", text: "", changed });
    const live = outputStep(outputStep(nothingLive, told(["a"])), told(["a", "b"]));
    expect([live.changed, live.output]).toEqual([{ c: ["a", "b"] }, {}]);
    expect(liveEventStep(live, add("tool.result", { callId: "c" }, "r")).changed).toEqual({});
  });

  it("keeps only the end of a command's output", () => {
    const live = outputStep(nothingLive, {
      sessionId: "s",
      runId: "r",
      callId: "c",
      text: `${"x".repeat(maxOutputChars)}end`,
      changed: [],
    });
    expect(live.output.c).toHaveLength(maxOutputChars);
    expect(live.output.c?.endsWith("end")).toBe(true);
  });

  it("forgets a command's output when its result is stored", () => {
    const { add } = eventLog("s");
    const live = outputStep(nothingLive, { sessionId: "s", runId: "r", callId: "c", text: "x", changed: [] });
    expect(liveEventStep(live, add("tool.result", { callId: "c" })).output).toEqual({});
  });

  it("joins a kept partial answer with the deltas that overlap it", () => {
    const live = deltaStep(nothingLive, delta("lo wor"), 0);
    const partial = { runId: "r", turn: 1, text: "hello w", thoughts: "" };
    expect(said(withPartial(live, partial))).toBe("hello wor");
    const { add } = eventLog("s");
    const stored = liveEventStep(live, add("output.message", { turn: 1, content: "hello world" }, "r"));
    expect(withPartial(stored, partial).answer).toBeNull();
    expect(fresh("abc", "xyz")).toBe("xyz");
    expect(fresh("abc", "")).toBe("");
  });

  it("stays the same object while only the text grows", () => {
    const live = deltaStep(nothingLive, delta("A"), 0);
    expect(deltaStep(live, delta("B"), 0)).toBe(live);
    expect(said(live)).toBe("AB");
  });

  it("keeps the words that streamed in for the stored message that says the same, and for no other", () => {
    const { add } = eventLog("s");
    const stored = (content: string) => add("output.message", { role: "assistant", content, turn: 1 }, "r");
    const live = deltaStep(nothingLive, delta("A"), 0);
    expect(liveEventStep(live, stored("A")).told[turnKey("r", 1)]?.text).toBe(live.answer?.text);
    expect(liveEventStep(live, stored("[secret] was taken out")).told).toEqual({});
  });
});
