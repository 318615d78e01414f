/** An approval that is answered as a whole: its note, its answer, and what its foot is told. */
import type { KeyboardEvent } from "react";
import { useIsOver } from "../../components/countdown";
import { composes, matches } from "../../components/shortcuts";
import { expiresAt, type PendingApproval } from "../../protocol/approvals";
import type { Resolution } from "../../protocol/generated";
import { wholeResolution } from "./decisions";
import { useDraft, useResolve } from "./drafts";

/** What an approval of one kind sends besides; what was shown is bound by its hash, where it has one. */
type Own = Partial<Pick<Resolution, "command" | "plan" | "keep" | "previewHash">>;

export function useWholeDecision(approval: PendingApproval) {
  const [draft, setDraft] = useDraft(approval.approvalId);
  const { sending, send } = useResolve(approval.approvalId);
  const until = expiresAt(approval);
  const isOver = useIsOver(until);
  const answer = (decision: Resolution["decision"], own: Own = {}) => {
    if (sending.state !== "deciding" || (decision === "approve" && isOver)) return;
    void send({ ...wholeResolution(decision, draft.note, own.previewHash ?? ""), ...own });
  };
  const foot = {
    note: draft.note,
    onNote: (note: string) => setDraft({ note }),
    state: sending.state,
    expiresAt: until,
    onReject: () => answer("reject"),
  };
  return { draft, setDraft, answer, foot, error: sending.error, isOver };
}

/** Mod+Enter approves from anywhere in the approval, its note too. */
export function onApproveKey(approve: () => void) {
  return (event: KeyboardEvent) => {
    if (!matches(event, "Mod+Enter") || event.repeat || composes(event.nativeEvent)) return;
    event.preventDefault();
    event.stopPropagation();
    approve();
  };
}
