import { t } from "@lingui/core/macro";
import { Button } from "../../components/Button";
import { exactTime } from "../../components/format";
import { useSessionPart, useSessions } from "../../platform/context";
import type { LineOrigin } from "../../protocol/generated";
import { whoWrote } from "./lines";

type Props = {
  sessionId: string;
  line: LineOrigin;
  onTakeBack: (line: LineOrigin) => void;
  onShow: (sessionId: string, seq: number) => void;
};

/** What is known of the selected line, and what can be done about the change that brought it. */
export function LineDetails({ sessionId, line, onTakeBack, onShow }: Props) {
  const decided = useSessionPart(sessionId, (view) => view.decided.decided);
  const sessions = useSessions();
  const { seq } = line;
  const of = line.sessionId ?? sessionId;
  const approval = decided.find((one) => one.approvalId === line.approvalId);
  const other = of === sessionId ? null : sessions.find((one) => one.sessionId === of);
  return (
    <div className="line-details">
      <p className="grow" aria-live="polite">
        <span className="secondary">{t`Line ${line.number}: `}</span>
        {line.author === "before" && t`was there before this session.`}
        {line.author === "user" && t`you wrote it outside Arki.`}
        {line.author === "arki" && (
          <>
            {whoWrote(line)}
            {line.toolId && (
              <>
                <span className="secondary"> · </span>
                <code>{line.toolId}</code>
              </>
            )}
            <span className="secondary">
              {line.approvalId ? t` · approved ${approvedWords(approval)}` : t` · no approval needed`}
              {line.ts !== null && ` · ${exactTime(line.ts)}`}
              {other && t` · in “${other.title}”`}
            </span>
          </>
        )}
      </p>
      {line.author === "arki" && seq !== null && (
        <>
          <Button small look="quiet" onClick={() => onShow(of, seq)}>
            {t`Show in transcript`}
          </Button>
          <Button small onClick={() => onTakeBack(line)}>
            {t`Revert this change`}
          </Button>
        </>
      )}
    </div>
  );
}

function approvedWords(approval: { resolvedBy: string; reason: string } | undefined): string {
  if (!approval) return "";
  const by =
    approval.resolvedBy === "user" || approval.resolvedBy === "window"
      ? t`by you`
      : t`by ${approval.resolvedBy}`;
  return approval.reason ? t`${by}: “${approval.reason}”` : by;
}
