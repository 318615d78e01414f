/** An edit's lines and what became of them, such as "+6 −3 accepted". */
import { plural, t } from "@lingui/core/macro";
import { useMemo } from "react";
import { useApprovals, useSessionPart } from "../../platform/context";
import type { ToolItem } from "../../protocol/transcript";
import { askedCounts, isPart, previewCounts } from "./edit_counts";
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
      {state === "done" && approvalId !== null && <span className="tool-state small">{verdict}</span>}
    </>
  );
}
