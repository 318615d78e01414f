/** What is above and below everything that is to be decided. */

import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, plural, t } from "@lingui/core/macro";
import { type ReactNode, useId } from "react";
import { Button } from "../../components/Button";
import { useIsOver, useTimeUntil } from "../../components/countdown";
import { ReasonText } from "../../components/reason/ReasonText";
import { WhyAsked } from "../../components/why/WhyAsked";
import type { PendingApproval } from "../../protocol/approvals";
import type { Risk } from "../../protocol/generated";

type Props = {
  note: string;
  onNote: (note: string) => void;
  /** The number of comments on lines that go with the decision, whichever it is. */
  comments?: number;
  state: "deciding" | "sending" | "sent";
  /** When it counts as rejected, in milliseconds since 1970; null: never. */
  expiresAt: number | null;
  /** Said to assistive technology beside the buttons' names. */
  detail: string;
  summary?: string;
  accept: string;
  reject: string;
  onAccept: () => void;
  onReject: () => void;
  /** Who reads the note. */
  reader?: "model" | "log";
  /** Ways to approve for longer than once. */
  keep?: ReactNode;
};

export function ApprovalFoot(props: Props) {
  const { note, state, expiresAt, detail, accept, keep, comments = 0, reader = "model" } = props;
  const described = useId();
  const time = useId();
  const isOver = useIsOver(expiresAt);
  const sends = t`sends ${plural(comments, { one: "# comment", other: "# comments" })}`;
  if (state !== "deciding") {
    return (
      <footer className="approval-foot">
        <p className="secondary" role="status">
          {state === "sending" ? t`Sending your decision…` : t`Decided. Applying your decision…`}
        </p>
      </footer>
    );
  }
  return (
    <>
      <footer className="approval-foot">
        <textarea
          className="field"
          dir="auto"
          rows={1}
          aria-label={reader === "model" ? t`Note to the model` : t`Note`}
          placeholder={reader === "model" ? t`Note to the model (optional)` : t`Note (optional)`}
          value={note}
          onChange={(event) => props.onNote(event.target.value)}
        />
        {expiresAt !== null && <TimeLeft id={time} expiresAt={expiresAt} isOver={isOver} reader={reader} />}
        <div className="approval-buttons">
          <span className="sr-only" id={described}>
            {detail}
            {comments > 0 && `, ${sends}`}
          </span>
          {!isOver && (
            <Button
              look="primary"
              title={accept}
              shortcut="Mod+Enter"
              aria-describedby={`${described} ${time}`}
              onClick={props.onAccept}
            >
              {accept}
            </Button>
          )}
          <Button aria-describedby={`${described} ${time}`} onClick={props.onReject}>
            {props.reject}
          </Button>
          <span className="secondary small" aria-hidden>
            {[props.summary, comments > 0 && sends].filter(Boolean).join(" · ")}
          </span>
        </div>
      </footer>
      {/* Not in the foot, which stays in sight: it would leave little room for what is decided. */}
      {!isOver && keep}
    </>
  );
}

type TimeProps = { id: string; expiresAt: number; isOver: boolean; reader: "model" | "log" };

/** Counts down in silence; only that the time is over is announced. */
function TimeLeft({ id, expiresAt, isOver, reader }: TimeProps) {
  const left = useTimeUntil(expiresAt);
  return (
    <p className="small" id={id}>
      {!isOver && t`${left} left to answer. After that, this counts as rejected.`}
      <span role="status">
        {isOver &&
          (reader === "model"
            ? t`! You ran out of time, so this counts as rejected. Click Reject to tell the model and continue.`
            : t`! You ran out of time, so this counts as rejected. Click Reject to end the run.`)}
      </span>
    </p>
  );
}

const risks: Readonly<Record<Risk, MessageDescriptor>> = {
  low: msg`low risk`,
  medium: msg`medium risk`,
  high: msg`high risk`,
};

type HeadProps = { approval: PendingApproval; id: string; children?: ReactNode };

/** What is asked and why: the tool, its risk, the policy's reason, and whether it replaces a stale preview. */
export function ApprovalHead({ approval, id, children }: HeadProps) {
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
