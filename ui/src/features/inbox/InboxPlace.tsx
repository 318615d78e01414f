/**
 * Everything that waits for the user across sessions, folders, sub-agents and pipelines, each beside what it is about:
 * it is decided there, and the next one takes its place. Without room for both, it is the list or the thing.
 */
import { t } from "@lingui/core/macro";
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { Button } from "../../components/Button";
import { VisibleText } from "../../components/code/VisibleText";
import { exactTime, folderName, shortTime } from "../../components/format";
import { List } from "../../components/List";
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
  const root = useRef<HTMLDivElement>(null);
  const waiting = useEverythingWaiting();
  const { shown, choose } = useChosen(waiting);
  /** Where there is room for one of both alone. */
  const [isOpened, setOpened] = useState(false);
  const [focusRequest, setFocusRequest] = useState(0);
  const row = () => root.current?.querySelector<HTMLElement>("[aria-current=true]");
  const read = () => {
    setOpened(true);
    setFocusRequest((now) => now + 1);
  };
  const list = () => {
    setOpened(false);
    setTimeout(() => row()?.focus(), 0);
  };
  const key = shown?.key;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another one is shown
  useEffect(() => {
    if (!open || document.activeElement !== document.body) return;
    // What was decided is gone, and the focus with it. A row that isn't seen can't have it.
    row()?.focus();
    if (document.activeElement === document.body) setFocusRequest((now) => now + 1);
  }, [key]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.defaultPrevented || !isOpened || isSeen(row())) return;
    event.preventDefault();
    list();
  };
  return (
    <Place title={t`Inbox`} open={open} look="whole">
      {shown === null ? (
        <p className="inbox-none secondary">
          {t`Nothing waits for you. Approvals, questions and forms of all sessions are listed here.`}
        </p>
      ) : (
        // biome-ignore lint/a11y/noStaticElementInteractions: Escape leads from the thing to the list
        <div className={isOpened ? "inbox opened" : "inbox"} ref={root} onKeyDown={onKeyDown}>
          <List className="inbox-list" aria-label={t`Waiting for you`} onKeyDown={moveByArrow}>
            {waiting.map((one) => (
              <li key={one.key}>
                <Row of={one} isShown={one === shown} onShow={() => choose(one)} onRead={read} />
              </li>
            ))}
          </List>
          <div className="inbox-thing">
            <ThingHead of={shown} onList={list} onGo={() => onGo(shown)} />
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

function isSeen(element: HTMLElement | null | undefined): boolean {
  const list = element?.closest(".inbox-list");
  return list != null && getComputedStyle(list).display !== "none";
}

type ThingHeadProps = { of: Waiting; onList: () => void; onGo: () => void };

function ThingHead({ of: { title, asks, sessionId }, onList, onGo }: ThingHeadProps) {
  return (
    <header className="inbox-thing-head">
      <Button small look="quiet" className="inbox-back" onClick={onList}>
        {t`← All entries`}
      </Button>
      <h3 className="cut grow" dir="auto">
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
