/**
 * Decisions in progress, with what was selected and written for them, kept while the approval waits: going to another
 * session or tab and back loses nothing, nor does closing the window. A decision stays bound to what was shown: a new
 * preview is an approval of its own. And sending what was decided.
 */

import { useState } from "react";
import { storedDrafts, useKeptDraft } from "../../components/drafts";
import { useArki } from "../../platform/context";
import { asCommandError } from "../../platform/platform";
import type { CommandError, Resolution } from "../../protocol/generated";
import type { LineComment } from "./comments";
import { type Decisions, undecided } from "./decisions";

type Draft = {
  decisions: Decisions;
  note: string;
  comments: readonly LineComment[];
  /** A hunk's new text in its editor. */
  unsaved: { index: number; text: string } | null;
  /** The user's own command; null while the shown one is to run. */
  command: string | null;
  /** The plan's steps as the user wants them, one a line; null while they stay as shown. */
  plan: string | null;
};

const nothing: Draft = {
  decisions: undecided,
  note: "",
  comments: [],
  unsaved: null,
  command: null,
  plan: null,
};

const isDraft = (value: unknown): value is Draft => {
  if (typeof value !== "object" || value === null) return false;
  const { decisions, note, comments } = value as Partial<Draft>;
  const parts = [decisions?.of, decisions?.edits, decisions?.selected];
  return typeof note === "string" && Array.isArray(comments) && parts.every((one) => typeof one === "object");
};

const drafts = storedDrafts("review", isDraft);

export function useDraft(approvalId: string): [Draft, (part: Partial<Draft>) => void] {
  const { draft, change } = useKeptDraft(drafts, approvalId, nothing);
  return [draft, (part) => change((now) => ({ ...now, ...part }))];
}

/** Once it was sent. */
function forgetDraft(approvalId: string): void {
  drafts.delete(approvalId);
}

type Sending = { state: "deciding"; error: CommandError | null } | { state: "sending" | "sent"; error: null };

/** Sends a resolution. What failed can be sent again; what was sent stays until the engine says it is resolved. */
export function useResolve(approvalId: string) {
  const arki = useArki();
  const [sending, setSending] = useState<Sending>({ state: "deciding", error: null });
  const send = async (resolution: Resolution) => {
    setSending({ state: "sending", error: null });
    try {
      await arki.platform.call("resolve_approval", { approvalId, resolution });
      forgetDraft(approvalId);
      setSending({ state: "sent", error: null });
    } catch (thrown) {
      setSending({ state: "deciding", error: asCommandError(thrown) });
    }
    // Whether it worked, was stale or was answered elsewhere: the inbox is the engine's.
    await arki.refreshApprovals().catch(() => undefined);
  };
  return { sending, send };
}
