import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, plural, t } from "@lingui/core/macro";
import type { ReactNode } from "react";
import { ReasonText } from "../../components/reason/ReasonText";
import { WhyAsked } from "../../components/why/WhyAsked";
import type { PendingApproval } from "../../protocol/approvals";
import type { Risk } from "../../protocol/generated";

const risks: Readonly<Record<Risk, MessageDescriptor>> = {
  low: msg`low risk`,
  medium: msg`medium risk`,
  high: msg`high risk`,
};

type Props = { approval: PendingApproval; id: string; children?: ReactNode };

/** What is asked and why: the tool, its risk, the policy's reason, and whether it replaces a stale preview. */
export function ApprovalHead({ approval, id, children }: Props) {
  // Several edits of one answer are one question.
  const edits = new Set(approval.preview?.hunks.flatMap((hunk) => hunk.callId ?? [])).size;
  return (
    <>
      <header className="approval-head" id={id}>
        <p>
          {edits > 1 ? plural(edits, { one: "# edit", other: "# edits" }) : <code>{approval.toolId}</code>}{" "}
          <span className="secondary">{children}</span>
          {approval.risk && (
            <>
              <span className="secondary"> · </span>
              <span className={`risk risk-${approval.risk}`}>{i18n._(risks[approval.risk])}</span>
            </>
          )}
        </p>
        {approval.reason && !approval.supersedes && (
          <p className="secondary small">
            <ReasonText reason={approval.reason} sentences={approval.sentences} />
          </p>
        )}
        {approval.supersedes && (
          <p className="stale small" role="status">
            {t`! The file changed on disk after you saw the preview, so nothing was written. This is the new preview.`}
          </p>
        )}
      </header>
      {approval.callId !== null && (
        <WhyAsked question={t`Why was this asked?`} sessionId={approval.sessionId} callId={approval.callId} />
      )}
    </>
  );
}
