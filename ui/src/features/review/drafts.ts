/**
 * Decisions in progress, with what was selected and written for them, kept while the approval waits: going to another
 * session or tab and back loses nothing. In memory only, since a decision is bound to what was shown.
 */
import { type Drafts, useKeptDraft } from "../../components/drafts";
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

const nothing: Draft = {
  decisions: undecided,
  note: "",
  comments: [],
  unsaved: null,
  command: null,
  plan: null,
};

const drafts: Drafts<Draft> = new Map();

export function useDraft(approvalId: string): [Draft, (part: Partial<Draft>) => void] {
  const { draft, change } = useKeptDraft(drafts, approvalId, nothing);
  return [draft, (part) => change((now) => ({ ...now, ...part }))];
}
