/** What the model asks the user and waits for, across sessions. Pure. */
import type { Event, QuestionSummary } from "./generated";
import { list, maybeText, payloadOf, strings, text } from "./read";

export function readQuestion(event: Event): QuestionSummary | null {
  const p = payloadOf(event);
  const questionId = maybeText(p, "questionId");
  if (event.type !== "question.asked" || questionId === null) return null;
  return {
    questionId,
    sessionId: event.sessionId,
    runId: event.runId ?? "",
    callId: text(p, "callId"),
    text: text(p, "text"),
    options: strings(list(p, "options")),
  };
}

const endsRun = new Set(["run.completed", "run.failed", "run.cancelled"]);

/** The open questions after one event. */
export function questionsStep(open: readonly QuestionSummary[], event: Event): readonly QuestionSummary[] {
  const asked = readQuestion(event);
  if (asked) return [...open.filter((one) => one.questionId !== asked.questionId), asked];
  const gone = goneBy(event);
  return gone && open.some(gone) ? open.filter((one) => !gone(one)) : open;
}

function goneBy(event: Event): ((one: QuestionSummary) => boolean) | null {
  if (event.type === "question.answered") {
    const questionId = text(payloadOf(event), "questionId");
    return (one) => one.questionId === questionId;
  }
  if (!endsRun.has(event.type)) return null;
  return (one) => one.sessionId === event.sessionId && one.runId === event.runId;
}
