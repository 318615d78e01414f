/** States of steps, sizes and outcomes in words. */
import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, plural, t } from "@lingui/core/macro";
import { bytes, duration } from "../../components/format";
import type { MissedRuns, PipelineStepEntry, PipelineStepState } from "../../protocol/generated";
import type { StepEvent } from "./step_log";

/** What someone who looks wants to see first comes first. */
const states: Readonly<Record<PipelineStepState, { sign: string; words: MessageDescriptor }>> = {
  failed: { sign: "✕", words: msg`failed` },
  waiting: { sign: "!", words: msg`waiting for you` },
  interrupted: { sign: "↯", words: msg`interrupted` },
  retrying: { sign: "↻", words: msg`failed, to be tried again` },
  running: { sign: "◐", words: msg`running` },
  pending: { sign: "○", words: msg`not started` },
  completed: { sign: "✓", words: msg`done` },
  skipped: { sign: "–", words: msg`skipped` },
};

const byWeight = Object.keys(states);
export const stepWeight = (state: PipelineStepState) => byWeight.indexOf(state);
export const stepSign = (state: PipelineStepState) => states[state].sign;
export const stepWords = (state: PipelineStepState) => i18n._(states[state].words);

export function sizeWords(count: number): string {
  return count < 1024 ? plural(count, { one: "# byte", other: "# bytes" }) : bytes(count);
}

/** States in which the last attempt has ended. */
const ended: readonly PipelineStepState[] = ["completed", "failed", "retrying"];

/** Such as "3 s · 2 attempts · 4 of 9 items"; empty for a step of which there is nothing to tell. */
export function stepFacts(step: PipelineStepEntry, workingMs: number | null): string {
  const facts: string[] = [];
  const ms = workingMs ?? (ended.includes(step.state) ? step.durationMs : null);
  if (ms !== null) facts.push(duration(ms));
  if (step.attempts > 1) facts.push(plural(step.attempts, { one: "# attempt", other: "# attempts" }));
  if (step.items !== null) facts.push(t`${step.itemsDone ?? 0} of ${step.items} items`);
  return facts.join(" · ");
}

export function eventWords(event: StepEvent): string {
  switch (event.type) {
    case "step.started":
      return event.payload.items == null
        ? t`Attempt ${event.payload.attempt} began`
        : plural(event.payload.items, { one: "Began with # item", other: "Began with # items" });
    case "step.completed":
      return t`Done after ${duration(event.payload.durationMs)}: ${sizeWords(event.payload.outputBytes)}`;
    case "step.failed":
      return failedWords(event.payload.durationMs, event.payload.message, event.payload.retryInMs ?? null);
    case "step.skipped":
      return event.payload.reason === "done"
        ? t`Not run again: it was done before`
        : t`Skipped: its condition didn't hold`;
  }
}

function failedWords(ms: number, message: string, retryInMs: number | null): string {
  const failed = t`Failed after ${duration(ms)}: ${message}`;
  return retryInMs === null ? failed : t`${failed} Tried again after ${duration(retryInMs)}.`;
}

/** The engine's word for what comes with Arki; else a path. */
export const originWords = (origin: string) => (origin === "built in" ? t`Built in` : origin);

const missed: Readonly<Record<MissedRuns, MessageDescriptor>> = {
  skip: msg`Skip missed times`,
  once: msg`Run once to make up for missed times`,
};

export const missedWords = (what: MissedRuns) => i18n._(missed[what]);
