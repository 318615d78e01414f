/** Everything that waits for the user across sessions, folders, sub-agents and pipelines; each leads to where it is decided. */
import { t } from "@lingui/core/macro";
import { type KeyboardEvent, useMemo, useRef } from "react";
import { VisibleText } from "../../components/code/VisibleText";
import { Dialog } from "../../components/Dialog";
import { exactTime, folderName, shortTime } from "../../components/format";
import { useApprovals, useElicitations, useQuestions, useSessions } from "../../platform/context";
import { type Waiting, waitingOf } from "./waiting";
import "./inbox.css";
import { List } from "../../components/List";

type Props = { open: boolean; onClose: () => void; onGo: (to: Waiting) => void };

export function InboxDialog({ open, onClose, onGo }: Props) {
  const approvals = useApprovals();
  const questions = useQuestions();
  const elicitations = useElicitations();
  const sessions = useSessions();
  const waiting = useMemo(
    () => waitingOf({ approvals, questions, elicitations, sessions }),
    [approvals, questions, elicitations, sessions],
  );
  /** Gone to once the focus is free to go there too. */
  const chosen = useRef<Waiting | null>(null);
  const go = (to: Waiting) => {
    chosen.current = to;
    onClose();
  };
  const leave = () => {
    const to = chosen.current;
    chosen.current = null;
    if (to) onGo(to);
  };
  return (
    <Dialog title={t`Inbox`} open={open} onClose={onClose} wide afterwards={leave}>
      {waiting.length === 0 ? (
        <p className="secondary">
          {t`Nothing waits for you. Approvals, questions and forms of all sessions are listed here.`}
        </p>
      ) : (
        <List className="inbox" aria-label={t`Waiting for you`} onKeyDown={moveByArrow}>
          {waiting.map((one) => (
            <li key={one.key}>
              <Row of={one} onGo={() => go(one)} />
            </li>
          ))}
        </List>
      )}
    </Dialog>
  );
}

function Row({ of, onGo }: { of: Waiting; onGo: () => void }) {
  const { asks, isTool, about, title, agent, project, since } = of;
  const Asks = isTool ? "code" : "b";
  return (
    <button type="button" className="inbox-row" onClick={onGo}>
      <span className="inbox-line">
        <Asks className="inbox-asks">
          <VisibleText text={asks} />
        </Asks>
        <span className="cut grow" dir="auto" title={about}>
          <VisibleText text={about} />
        </span>
        <span className="inbox-since small secondary" title={exactTime(since)}>
          {t`since ${shortTime(since)}`}
        </span>
      </span>
      <span className="inbox-line small secondary">
        {agent !== null && <b>{agent}</b>}
        <span className="cut" dir="auto">
          {title}
        </span>
        {project !== "" && <span className="inbox-project">{folderName(project)}</span>}
      </span>
    </button>
  );
}

function moveByArrow(event: KeyboardEvent<HTMLElement>) {
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>(".inbox-row")];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  const next = { ArrowDown: rows[at + 1], ArrowUp: rows[at - 1], Home: rows[0], End: rows.at(-1) }[event.key];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
