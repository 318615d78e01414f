/** An edit's lines and what became of them, such as "+6 −3 accepted". */
import { plural, t } from "@lingui/core/macro";
import { useMemo } from "react";
import { alignLines } from "../../components/diff/align";
import { previewFiles } from "../../components/diff/preview_files";
import { withNewSide } from "../../components/diff/side";
import { useApprovals, useSessionPart } from "../../platform/context";
import type { DecidedApproval } from "../../protocol/approvals";
import type { ChangePreview } from "../../protocol/generated";
import { isRecord, text } from "../../protocol/read";
import type { ToolItem } from "../../protocol/transcript";
import "../../components/diff/file.css";

export function EditOutcome({ sessionId, item }: { sessionId: string; item: ToolItem }) {
  const { approvalId, callId, state } = item;
  // One approval may be about several edits.
  const isOf = (one: { approvalId: string }) => one.approvalId === approvalId;
  const decided = useSessionPart(sessionId, (view) => view.decided.decided.find(isOf)) ?? null;
  const preview = useApprovals().find(isOf)?.preview ?? decided?.preview ?? null;
  const counts = useMemo(() => {
    if (preview) return previewCounts(preview, decided, callId);
    // Of what somebody decided about, the call doesn't say how much was written.
    return approvalId === null ? askedCounts(item) : null;
  }, [preview, decided, callId, approvalId, item]);
  const verdict = decided !== null && isPart(decided, callId) ? t`partly accepted` : t`accepted`;
  return (
    <>
      {counts && (
        <span
          className="file-counts mono"
          title={t`${plural(counts.added, { one: "# line", other: "# lines" })} added, ${counts.removed} removed`}
        >
          {counts.added > 0 && <span className="plus">+{counts.added}</span>}
          {counts.removed > 0 && <span className="minus">−{counts.removed}</span>}
        </span>
      )}
      {state === "done" && approvalId !== null && <span className="tool-state small cut">{verdict}</span>}
    </>
  );
}

/** How many lines an edit adds and removes: of what was decided the part that was written. */
type EditCounts = { added: number; removed: number };

type Decided = Pick<DecidedApproval, "decision" | "hunks" | "edited">;

/** The numbers of a call's hunks, of a preview that may be about several calls. */
const ownHunks = (preview: ChangePreview, callId: string): number[] =>
  preview.hunks.filter((hunk) => (hunk.callId ?? callId) === callId).map((hunk) => hunk.index);

/** `decided`: null while it waits. Null where the diff isn't at hand. */
export function previewCounts(
  preview: ChangePreview,
  decided: Decided | null,
  callId: string,
): EditCounts | null {
  if (!preview.diff) return null;
  const own = new Set(ownHunks(preview, callId));
  const chosen = decided?.decision === "approve" ? decided.hunks : null;
  const shown = previewFiles(preview).flatMap(({ hunks }) => hunks);
  const written = shown
    .filter(({ index }) => own.has(index))
    .flatMap((hunk) => {
      const text = decided?.edited[hunk.index];
      if (text !== undefined) return withNewSide(hunk, text).lines;
      return chosen === null || chosen.includes(hunk.index) ? hunk.lines : [];
    });
  const count = (kind: "added" | "removed") => written.filter((line) => line.kind === kind).length;
  return { added: count("added"), removed: count("removed") };
}

function isPart({ decision, hunks, preview }: DecidedApproval, callId: string): boolean {
  if (decision !== "approve" || hunks === null || preview === null) return false;
  return ownHunks(preview, callId).some((index) => !hunks.includes(index));
}

/** By what the call itself says; null where that depends on the files. */
export function askedCounts({ args, changes }: Pick<ToolItem, "args" | "changes">): EditCounts | null {
  if (!isRecord(args)) return null;
  // All of a new file is in the call.
  const isNew = changes[0]?.beforeHash === null && !changes[0].beforeUnknown;
  if (typeof args.content === "string") return isNew ? lineCounts("", args.content) : null;
  if (!Array.isArray(args.edits)) return null;
  const edits: readonly unknown[] = args.edits;
  if (edits.length === 0 || edits.some((edit) => isRecord(edit) && edit.replace_all === true)) return null;
  const each = edits.map((edit) => lineCounts(text(edit, "old_text"), text(edit, "new_text")));
  const sum = (of: keyof EditCounts) => each.reduce((all, one) => all + one[of], 0);
  return { added: sum("added"), removed: sum("removed") };
}

function lineCounts(before: string, after: string): EditCounts {
  const [old, fresh] = [before, after].map((side) =>
    side === "" ? [] : side.replace(/\n$/, "").split("\n"),
  );
  const same = alignLines(old ?? [], fresh ?? []).length;
  return { added: (fresh?.length ?? 0) - same, removed: (old?.length ?? 0) - same };
}
