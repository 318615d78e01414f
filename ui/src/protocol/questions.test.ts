import { describe, expect, it } from "vitest";
import { foldTranscript } from "../testing/conversation_fold";
import { eventLog } from "../testing/events";
import { questionLog } from "../testing/question_scene";
import type { QuestionSummary, SessionSummary } from "./generated";
import { questionsStep } from "./questions";
import { sessionsStep } from "./sessions";
import type { ToolItem } from "./transcript";

const none: readonly QuestionSummary[] = [];
const asking = (events: ReturnType<typeof questionLog>) =>
  foldTranscript(events).items.filter((item) => item.kind === "tool") as ToolItem[];

describe("open questions", () => {
  it("come when they are asked and go with the answer", () => {
    const open = questionLog("s").reduce(questionsStep, none);
    expect(open.map((one) => one.questionId)).toEqual(["q2"]);
    expect(open[0]).toMatchObject({ sessionId: "s", runId: "run-s", callId: "ask2" });
  });

  it("end with their own run, not with another session's", () => {
    const other = eventLog("t");
    other.add("run.cancelled", {}, "run-s");
    expect([...questionLog("s"), ...other.events].reduce(questionsStep, none)).toHaveLength(1);
    const own = eventLog("s");
    own.add("run.cancelled");
    expect([...questionLog("s"), ...own.events].reduce(questionsStep, none)).toEqual([]);
  });

  it("are cards of the transcript: one answered, one that waits", () => {
    const [first, second] = asking(questionLog("s"));
    expect(first).toMatchObject({
      state: "done",
      question: { answer: "Yes, for one release.\nThen it may go." },
    });
    expect(second).toMatchObject({ state: "waiting", question: { questionId: "q2", answer: null } });
    expect(second?.question?.options).toHaveLength(3);
    expect(foldTranscript(questionLog("s"))).toMatchObject({ run: "paused", pausedFor: "question" });
    const own = eventLog("s");
    own.add("run.cancelled");
    expect(asking([...questionLog("s"), ...own.events])[1]?.state).toBe("interrupted");
  });

  it("make their session one that waits, until they are answered", () => {
    const list: readonly SessionSummary[] = [];
    const state = (events: ReturnType<typeof questionLog>) => events.reduce(sessionsStep, list)[0]?.state;
    const events = questionLog("s");
    expect(state(events)).toBe("waiting");
    const own = eventLog("s");
    own.add("question.answered", { questionId: "q2", text: "x" });
    expect(state([...events, ...own.events])).toBe("running");
  });
});
