/** What the model asks the user and waits for, across sessions. Pure. */
import { endsRun } from "./events";
import type { Event, QuestionSummary } from "./generated";

export function readQuestion(event: Event): QuestionSummary | null {
  if (event.type !== "question.asked") return null;
  const { questionId, callId, text, options = [] } = event.payload;
  return {
    questionId,
    sessionId: event.sessionId,
    runId: event.runId ?? "",
    callId,
    text,
    options,
    askedAt: event.ts,
  };
}

/** The open questions after one event. */
export function questionsStep(open: readonly QuestionSummary[], event: Event): readonly QuestionSummary[] {
  const asked = readQuestion(event);
  if (asked) return [...open.filter((one) => one.questionId !== asked.questionId), asked];
  const gone = goneBy(event);
  return gone && open.some(gone) ? open.filter((one) => !gone(one)) : open;
}

function goneBy(event: Event): ((one: QuestionSummary) => boolean) | null {
  if (event.type === "question.answered") {
    const { questionId } = event.payload;
    return (one) => one.questionId === questionId;
  }
  if (!endsRun.has(event.type)) return null;
  return (one) => one.sessionId === event.sessionId && one.runId === event.runId;
}
