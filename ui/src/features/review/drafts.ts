/**
 * Decisions in progress, with what was selected and written for them, kept while the approval waits: going to another
 * session or tab and back loses nothing. In memory only, since a decision is bound to what was shown; bounded.
 */
import { useState } from "react";
import type { LineComment } from "./comments";
import { type Decisions, undecided } from "./decisions";

export type Draft = {
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

const maxDrafts = 50;
const drafts = new Map<string, Draft>();
const nothing: Draft = {
  decisions: undecided,
  note: "",
  comments: [],
  unsaved: null,
  command: null,
  plan: null,
};

export function useDraft(approvalId: string): [Draft, (change: Partial<Draft>) => void] {
  const [draft, setDraft] = useState(() => drafts.get(approvalId) ?? nothing);
  return [
    draft,
    (change) => {
      const next = { ...(drafts.get(approvalId) ?? nothing), ...change };
      drafts.delete(approvalId);
      drafts.set(approvalId, next);
      const oldest = drafts.keys().next().value;
      if (drafts.size > maxDrafts && oldest !== undefined) drafts.delete(oldest);
      setDraft(next);
    },
  ];
}
