/**
 * Decisions in progress, with what was selected and written for them, kept while the approval waits: going to another
 * session or tab and back loses nothing, nor does closing the window. A decision stays bound to what was shown: a new
 * preview is an approval of its own.
 */
import { storedDrafts, useKeptDraft } from "../../components/drafts";
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
export function forgetDraft(approvalId: string): void {
  drafts.delete(approvalId);
}
