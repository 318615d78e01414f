import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useId } from "react";
import { VisibleText } from "../../components/code/VisibleText";
import { ErrorNote } from "../../components/ErrorNote";
import { exact } from "../../components/format";
import type { PendingApproval } from "../../protocol/approvals";
import { isRecord, text } from "../../protocol/read";
import { ApprovalFoot } from "./ApprovalFrame";
import { onApproveKey, useWholeDecision } from "./useWholeDecision";
import "./review.css";

/** A pipeline's gate that waits: its question, and what it would hand on to the next step. */
export function GateApproval({ approval }: { approval: PendingApproval }) {
  const { answer, foot, error } = useWholeDecision(approval);
  const [summary, label] = [useId(), useId()];
  const { message, step, pipeline, input, hasMore, bytes } = gateOf(approval.args);
  const approve = () => answer("approve");
  return (
    <article className="approval" tabIndex={0} onKeyDown={onApproveKey(approve)} aria-describedby={summary}>
      <header className="approval-head" id={summary}>
        <p className="gate-question" dir="auto">
          <VisibleText text={message || t`Go on?`} />
        </p>
        <p className="secondary small">
          <Trans>
            Step <code>{step}</code> of the pipeline <code>{pipeline}</code> needs your approval to continue.
          </Trans>
        </p>
      </header>
      {input.trim() === "" ? (
        <p className="secondary small">{t`The gate has no input.`}</p>
      ) : (
        <>
          <p className="secondary small" id={label}>
            {t`What it hands on`}
          </p>
          <pre className="command gate-input" dir="auto" tabIndex={0} role="group" aria-labelledby={label}>
            <VisibleText text={input} />
          </pre>
          {hasMore && (
            <p className="secondary small">
              {t`The beginning of ${plural(bytes, { one: "# byte", other: `${exact(bytes)} bytes` })}.`}
            </p>
          )}
        </>
      )}
      {error && <ErrorNote error={error} />}
      <ApprovalFoot
        {...foot}
        detail={message}
        reader="log"
        accept={t`Approve`}
        reject={t`Reject`}
        onAccept={approve}
      />
    </article>
  );
}

function gateOf(args: unknown) {
  const input = text(args, "input");
  const bytes = isRecord(args) && typeof args.inputBytes === "number" ? args.inputBytes : 0;
  return {
    message: text(args, "message"),
    step: text(args, "step"),
    pipeline: text(args, "pipeline"),
    input,
    bytes,
    hasMore: bytes > new TextEncoder().encode(input).length,
  };
}
