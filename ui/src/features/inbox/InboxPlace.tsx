/**
 * Everything that waits for the user across sessions, folders, sub-agents and pipelines, each beside what it is about:
 * it is decided there, and the next one takes its place. Without room for both, it is the list or the thing.
 */
import { t } from "@lingui/core/macro";
import { type ReactNode, useEffect, useMemo, useState } from "react";
import { Button } from "../../components/Button";
import { VisibleText } from "../../components/code/VisibleText";
import { exactTime, folderName, shortTime } from "../../components/format";
import { List } from "../../components/List";
import { moveByArrow, useListOrThing } from "../../components/list_or_thing";
import { Place } from "../../components/Place";
import { useApprovals, useElicitations, useQuestions, useSessions } from "../../platform/context";
import { type Waiting, waitingOf } from "./waiting";
import "./inbox.css";

type Props = {
  open: boolean;
  /** To its session. */
  onGo: (to: Waiting) => void;
  /** What is decided. It takes the focus when the number, which is 0 at first, changes. */
  thing: (of: Waiting, focusRequest: number) => ReactNode;
};

export function InboxPlace({ open, onGo, thing }: Props) {
  const waiting = useEverythingWaiting();
  const { shown, choose } = useChosen(waiting);
  const { open: openThing, close, chosen, frame } = useListOrThing();
  const [focusRequest, setFocusRequest] = useState(0);
  const read = () => {
    openThing();
    setFocusRequest((now) => now + 1);
  };
  const key = shown?.key;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another one is shown
  useEffect(() => {
    if (!open || document.activeElement !== document.body) return;
    // What was decided is gone, and the focus with it. A row that isn't seen can't have it.
    chosen()?.focus();
    if (document.activeElement === document.body) setFocusRequest((now) => now + 1);
  }, [key]);
  return (
    <Place title={t`Inbox`} open={open} look="whole">
      {shown === null ? (
        <p className="inbox-none secondary">
          {t`Nothing waits for you. Approvals, questions and forms of all sessions are listed here.`}
        </p>
      ) : (
        <div {...frame}>
          <List className="beside-list inbox-list" aria-label={t`Waiting for you`} onKeyDown={moveByArrow}>
            {waiting.map((one) => (
              <li key={one.key}>
                <Row of={one} isShown={one === shown} onShow={() => choose(one)} onRead={read} />
              </li>
            ))}
          </List>
          <div className="beside-thing inbox-thing grow">
            <ThingHead of={shown} onList={close} onGo={() => onGo(shown)} />
            <div key={shown.key}>{thing(shown, focusRequest)}</div>
          </div>
        </div>
      )}
    </Place>
  );
}

function useEverythingWaiting(): Waiting[] {
  const approvals = useApprovals();
  const questions = useQuestions();
  const elicitations = useElicitations();
  const sessions = useSessions();
  return useMemo(
    () => waitingOf({ approvals, questions, elicitations, sessions }),
    [approvals, questions, elicitations, sessions],
  );
}

/** The chosen one; once it is gone, the one that took its place in the list. */
function useChosen(waiting: readonly Waiting[]) {
  const [chosen, setChosen] = useState({ key: "", at: 0 });
  const known = waiting.findIndex(({ key }) => key === chosen.key);
  const at = known === -1 ? Math.min(chosen.at, waiting.length - 1) : known;
  const shown = waiting[at] ?? null;
  if (shown !== null && (shown.key !== chosen.key || at !== chosen.at)) setChosen({ key: shown.key, at });
  return { shown, choose: (one: Waiting) => setChosen({ key: one.key, at: waiting.indexOf(one) }) };
}

type ThingHeadProps = { of: Waiting; onList: () => void; onGo: () => void };

function ThingHead({ of: { title, asks, sessionId }, onList, onGo }: ThingHeadProps) {
  return (
    <header className="inbox-thing-head">
      <Button small look="quiet" className="beside-back" onClick={onList}>
        {t`← All entries`}
      </Button>
      <h3 className="cut" dir="auto">
        <VisibleText text={title || asks} />
      </h3>
      <Button small onClick={onGo}>
        {sessionId === null ? t`Open its folder` : t`Open its session`}
      </Button>
    </header>
  );
}

type RowProps = { of: Waiting; isShown: boolean; onShow: () => void; onRead: () => void };

function Row({ of, isShown, onShow, onRead }: RowProps) {
  const { asks, isTool, about, title, agent, project, since } = of;
  const Asks = isTool ? "code" : "b";
  return (
    <button
      type="button"
      className="inbox-row"
      aria-current={isShown ? "true" : undefined}
      tabIndex={isShown ? 0 : -1}
      onFocus={onShow}
      onClick={() => {
        onShow();
        onRead();
      }}
    >
      <span className="inbox-line">
        <Asks className="inbox-asks cut">
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
        <span className="cut grow" dir="auto">
          {title}
        </span>
        {project !== "" && <span className="inbox-project">{folderName(project)}</span>}
      </span>
    </button>
  );
}
