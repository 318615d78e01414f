/** The one thing about a session that can't be taken back, so it is asked about. */
import { t } from "@lingui/core/macro";
import { useRef } from "react";
import { Button } from "../../components/Button";
import { Dialog } from "../../components/Dialog";
import { ErrorNote } from "../../components/ErrorNote";
import { useActs } from "../../components/useActs";
import { useArki } from "../../platform/context";
import "./history.css";

type Props = {
  sessionId: string;
  title: string;
  /** How many sub-agents worked for it. */
  subagents: number;
  onClose: () => void;
  onDone: (freedBytes: number) => void;
};

export function DeleteDialog({ sessionId, title, subagents, onClose, onDone }: Props) {
  const arki = useArki();
  const cancel = useRef<HTMLButtonElement>(null);
  const { busy, error: failed, attempt } = useActs();
  const remove = () =>
    attempt(async () => {
      const { freedBytes } = await arki.platform.call("remove_session", { sessionId });
      onDone(freedBytes);
    });
  const footer = (
    <>
      <Button ref={cancel} onClick={onClose}>
        {t`Keep it`}
      </Button>
      <Button look="danger" disabled={busy} onClick={remove}>
        {t`Delete session`}
      </Button>
    </>
  );
  return (
    <Dialog title={t`Delete this session?`} open onClose={onClose} footer={footer} initialFocus={cancel}>
      <p className="history-lead" dir="auto">{t`“${title}”`}</p>
      {subagents > 0 && (
        <p>
          {subagents === 1
            ? t`This also deletes the session of its sub-agent.`
            : t`This also deletes the sessions of its ${subagents} sub-agents.`}
        </p>
      )}
      <p>
        {t`This deletes its conversation, its log and its file snapshots. You can't undo it. Project files stay as they are. To keep a copy, export the session first.`}
      </p>
      {failed && <ErrorNote error={failed} />}
    </Dialog>
  );
}
