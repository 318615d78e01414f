/** The state of one write approval under review, and what can be done to it. */
import { useMemo, useState } from "react";
import { useIsOver } from "../../components/countdown";
import { previewFiles } from "../../components/diff/preview_files";
import { useLatest } from "../../components/latest";
import { expiresAt, type PendingApproval } from "../../protocol/approvals";
import type { ChangePreview, Keep } from "../../protocol/generated";
import { type CommentedLine, noteWith, toSend, withComment } from "./comments";
import {
  type Decisions,
  decide,
  edit,
  open,
  resolution,
  type Selection,
  select,
  undo,
  type Verdict,
  wholeResolution,
} from "./decisions";
import { useDraft, useResolve } from "./drafts";

/** A hunk that is being changed: its text, or which of its lines are taken, beginning with a comment perhaps. */
export type Editing = {
  index: number;
  by: "text" | "lines" | "comment";
  /** How often something was refused because the text is neither saved nor cancelled. */
  refusals: number;
};

export type Review = ReturnType<typeof useReview>;
export type ReviewActions = Review["actions"];

/** `paged`: the numbers of all hunks where the diff comes in pages. */
export function useReview(approval: PendingApproval, preview: ChangePreview, paged?: readonly number[]) {
  const { approvalId } = approval;
  const until = expiresAt(approval);
  const isOver = useIsOver(until);
  const files = useMemo(() => previewFiles(preview), [preview]);
  const all = useMemo(
    () => paged ?? files.flatMap((file) => file.hunks.map((hunk) => hunk.index)),
    [files, paged],
  );
  const [{ decisions, note, comments, unsaved }, setDraft] = useDraft(approvalId);
  const [editing, setEditing] = useState<Editing | null>(
    () => unsaved && { index: unsaved.index, by: "text", refusals: 0 },
  );
  const { sending, send } = useResolve(approvalId);
  const byHunk = preview.hunks.length === 0 || preview.hunks.length === all.length;
  const busy = sending.state !== "deciding";
  const left = open(decisions, all);

  const stopEditing = () => {
    setEditing(null);
    setDraft({ unsaved: null });
  };
  /** Who accepts beside an open editor may mean its text or the proposed one. */
  const refuses = (indexes: readonly number[]) => {
    if (editing?.by !== "text" || !indexes.includes(editing.index)) return false;
    setEditing({ ...editing, refusals: editing.refusals + 1 });
    return true;
  };
  const startEditing = (index: number, by: Editing["by"]) => {
    if (busy || !byHunk || (editing && refuses([editing.index]))) return;
    setEditing({ index, by, refusals: 0 });
  };
  const take = (indexes: readonly number[], decision: Verdict) => {
    if (decision === "rejected" || !refuses(indexes)) commit(decide(decisions, indexes, decision));
  };
  const commit = (next: Decisions) => {
    if (busy || !byHunk || isOver) return;
    if (editing && next.of[editing.index] !== undefined) stopEditing();
    setDraft({ decisions: next });
    const decided = resolution(next, all, noteWith(note, comments), preview.previewHash);
    if (decided) void send(decided);
  };
  const whole = (decision: Verdict, keep: Keep | null = null) => {
    // Once the time is over, it is rejected as a whole, whatever was accepted before.
    if (keep === null && byHunk && all.length > 0 && !isOver) return take(left, decision);
    if (busy || (isOver && decision === "accepted") || (keep !== null && refuses(left))) return;
    const answer = decision === "accepted" ? "approve" : "reject";
    void send({ ...wholeResolution(answer, noteWith(note, comments), preview.previewHash), keep });
  };
  const put = (part: Parameters<typeof setDraft>[0]) => {
    if (!busy) setDraft(part);
  };
  /** Stable for the life of a review, so that one decision does not draw every hunk again. */
  const actions = useStableActions({
    decide: take,
    edit: (index: number, text: string) => commit(edit(decisions, index, text)),
    /** Null: all lines of the hunk. */
    select: (index: number, selection: Selection | null) =>
      put({ decisions: select(decisions, index, selection) }),
    undo: (indexes: readonly number[]) => put({ decisions: undo(decisions, indexes) }),
    startEditing,
    /** A text that is not saved is gone then. */
    stopEditing,
    write: (index: number, text: string) => put({ unsaved: { index, text } }),
    comment: (at: CommentedLine, text: string) => put({ comments: withComment(comments, at, text) }),
    /** With a rule to keep the change is taken as it was proposed. */
    whole,
    again: () => commit(decisions),
  });
  const setNote = (next: string) => setDraft({ note: next });
  const sends = toSend(comments).length;
  return {
    files,
    all,
    left,
    decisions,
    note,
    setNote,
    comments,
    unsaved,
    sends,
    editing,
    sending,
    byHunk,
    busy,
    until,
    isOver,
    actions,
  };
}

/** The same functions on each render, doing what the latest ones do. */
function useStableActions<T extends Record<string, (...args: never[]) => unknown>>(now: T): T {
  const latest = useLatest(now);
  return useMemo(() => {
    const call =
      (key: string) =>
      (...args: never[]) =>
        latest.current[key]?.(...args);
    return Object.fromEntries(Object.keys(latest.current).map((key) => [key, call(key)])) as T;
  }, [latest]);
}
