/** How a run that is not over stands, in words. Pure. */
import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import type { SessionState } from "../../protocol/generated";
import type { Transcript } from "../../protocol/transcript";

export type Standing = { state: "paused" | "interrupted"; words: string };

const pausedWords: Readonly<Record<string, MessageDescriptor>> = {
  user: msg`You paused this run. The work so far is kept.`,
  budget: msg`Paused: this run reached a limit. Resume to start again with a full limit.`,
};

/** Null while it works, is over, or waits for a decision: that has its own place. */
export function standingOf(state: SessionState | null, transcript: Transcript): Standing | null {
  if (transcript.items.at(-1)?.kind === "rewound") return null;
  const waits = ["approval", "plan", "question"].includes(transcript.pausedFor ?? "");
  const paused = transcript.run === "paused" && !waits;
  if (state === "paused" || (state === null && paused)) {
    const reason = transcript.pausedFor ?? "";
    return { state: "paused", words: i18n._(pausedWords[reason] ?? msg`Paused. The work so far is kept.`) };
  }
  if (state === "interrupted") {
    return {
      state: "interrupted",
      words: t`Interrupted: Arki closed before this run ended. Finished work is kept. Arki won't repeat a command whose effect is unknown.`,
    };
  }
  return null;
}
