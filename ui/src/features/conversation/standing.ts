/** How a run that is not over stands, in words. Pure. */
import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import type { SessionState } from "../../protocol/generated";
import type { Transcript } from "../../protocol/transcript";

export type Standing = { state: "paused" | "interrupted"; words: string };

const pausedWords: Readonly<Record<string, MessageDescriptor>> = {
  user: msg`Paused by you. What is done so far is kept.`,
  budget: msg`Paused: a limit of this run was reached. Resuming gives it a fresh one.`,
  plan: msg`Paused: the plan waits for you.`,
};

/** Null while it works, is over, or waits for a decision: that has its own place. */
export function standingOf(state: SessionState | null, transcript: Transcript): Standing | null {
  if (transcript.items.at(-1)?.kind === "rewound") return null;
  const waits = transcript.pausedFor === "approval" || transcript.pausedFor === "question";
  const paused = transcript.run === "paused" && !waits;
  if (state === "paused" || (state === null && paused)) {
    const reason = transcript.pausedFor ?? "";
    return { state: "paused", words: i18n._(pausedWords[reason] ?? msg`Paused. The work so far is kept.`) };
  }
  if (state === "interrupted") {
    return {
      state: "interrupted",
      words: t`Interrupted: the program that ran this ended before the run did. What was finished is kept, and a command whose effect is unknown is not run again.`,
    };
  }
  return null;
}
