/** Where you are: projects and their sessions, the inbox, settings. */
import { t } from "@lingui/core/macro";
import { Bookmark, FolderOpen, Inbox, Plus, Settings } from "lucide-react";
import { type KeyboardEvent, type Ref, useCallback, useId, useMemo, useState } from "react";
import { Button } from "../../components/Button";
import { folderName, homePath } from "../../components/format";
import { useLatest } from "../../components/latest";
import { showShortcut } from "../../components/shortcuts";
import { useApprovals, useAsking, useMemories, useSessions } from "../../platform/context";
import type { SessionSummary } from "../../protocol/generated";
import { type Family, groupByProject } from "../../protocol/sessions";
import { Row, waitingWords } from "./SessionRow";
import "./sessions.css";

type Props = {
  folder: string | null;
  selected: string | null;
  filterRef: Ref<HTMLInputElement>;
  /** The one whose title is being edited. */
  renaming: string | null;
  onRenaming: (sessionId: string | null) => void;
  onSelect: (sessionId: string) => void;
  onNew: () => void;
  onOpenFolder: () => void;
  onInbox: () => void;
  onMemory: () => void;
  onSettings: () => void;
};

/** Fewer sessions than this are seen at a glance. */
const worthFiltering = 5;

export function Sessions(props: Props) {
  const { folder, selected, onSelect, onNew, onOpenFolder, onInbox, onMemory, onSettings } = props;
  const [words, setWords] = useState("");
  const sessions = useSessions();
  const approvals = useApprovals();
  const questions = useAsking();
  const all = approvals.length + questions.length;
  const groups = useMemo(
    () => groupByProject(named(sessions, words), words === "" ? folder : null),
    [sessions, words, folder],
  );
  const waiting = useMemo(() => counted(approvals), [approvals]);
  const asked = useMemo(() => counted(questions), [questions]);
  const latest = useLatest(onSelect);
  const select = useCallback((sessionId: string) => latest.current(sessionId), [latest]);
  const inboxCount = useId();
  const renaming = useLatest(props.onRenaming);
  const setRenaming = useCallback((sessionId: string | null) => renaming.current(sessionId), [renaming]);
  const rowOf = (session: SessionSummary) => ({
    session,
    current: session.sessionId === selected,
    approvals: waiting.get(session.sessionId) ?? 0,
    questions: asked.get(session.sessionId) ?? 0,
    onSelect: select,
    renaming: session.sessionId === props.renaming,
    onRenaming: setRenaming,
  });
  return (
    <nav className="sessions" aria-label={t`Sessions`}>
      <div className="sessions-head">
        <Button
          look="quiet"
          className="sessions-new"
          label={t`New session`}
          title={t`New session`}
          shortcut="Mod+N"
          icon={<Plus size={16} aria-hidden />}
          disabled={folder === null}
          onClick={onNew}
        >
          {t`New session`}
        </Button>
        {folder !== null && (
          <Button
            look="quiet"
            label={t`Open folder`}
            shortcut="Mod+O"
            icon={<FolderOpen size={16} aria-hidden />}
            onClick={onOpenFolder}
          />
        )}
      </div>
      {(sessions.length >= worthFiltering || words !== "") && (
        <div className="sessions-filter">
          <input
            ref={props.filterRef}
            className="field"
            type="search"
            aria-label={t`Filter sessions`}
            placeholder={t`Filter`}
            title={t`Filter sessions (${showShortcut("Mod+Shift+L")})`}
            value={words}
            onChange={(event) => setWords(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== "Escape" || words === "") return;
              event.preventDefault();
              setWords("");
            }}
          />
        </div>
      )}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: arrow keys move between the buttons inside */}
      <div className="sessions-list" onKeyDown={moveByArrow}>
        {groups.length === 0 && words !== "" && (
          <p className="sessions-none small secondary">{t`No session by that name`}</p>
        )}
        {groups.map((group) => (
          <section key={group.project} aria-label={folderName(group.project) || t`No project`}>
            <h3 className="sessions-project cut" title={homePath(group.project)}>
              {folderName(group.project) || t`No project`}
            </h3>
            {group.families.length === 0 && (
              <p className="sessions-none small secondary">{t`No sessions yet`}</p>
            )}
            <ul>
              {group.families.map(({ session, subagents }) => (
                <li key={session.sessionId}>
                  <Row {...rowOf(session)} subagents={subagents.length} />
                  {subagents.length > 0 && (words !== "" || isOpen({ session, subagents }, selected)) && (
                    <ul aria-label={t`Sub-agents of ${session.title}`}>
                      {subagents.map((subagent) => (
                        <li key={subagent.sessionId}>
                          <Row {...rowOf(subagent)} subagents={0} />
                        </li>
                      ))}
                    </ul>
                  )}
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
      <div className="sessions-foot">
        <span id={inboxCount} className="sr-only">
          {waitingWords(approvals.length, questions.length)}
        </span>
        <Button
          look="quiet"
          label={t`Inbox`}
          title={t`Go to the next pending decision`}
          shortcut="Mod+J"
          icon={<Inbox size={16} aria-hidden />}
          disabled={all === 0}
          aria-describedby={inboxCount}
          onClick={onInbox}
        >
          <span className="grow">{t`Inbox`}</span>
          {all > 0 && <span className="count" data-count={all} />}
        </Button>
        <Memory onOpen={onMemory} />
        <Button
          look="quiet"
          label={t`Settings`}
          title={t`Settings`}
          shortcut="Mod+,"
          icon={<Settings size={16} aria-hidden />}
          onClick={onSettings}
        >
          <span className="grow">{t`Settings`}</span>
        </Button>
      </div>
    </nav>
  );
}

/** With how many memories are proposed: nothing waits for these, so they are no part of the inbox. */
function Memory({ onOpen }: { onOpen: () => void }) {
  const proposed = useMemories().entries?.filter((one) => one.state === "pending").length ?? 0;
  const count = useId();
  return (
    <Button
      look="quiet"
      label={t`Memory`}
      title={t`What Arki remembers`}
      icon={<Bookmark size={16} aria-hidden />}
      aria-describedby={count}
      onClick={onOpen}
    >
      <span className="grow">{t`Memory`}</span>
      {proposed > 0 && <span className="count quiet" data-count={proposed} />}
      <span id={count} className="sr-only">
        {proposed > 0 && t`${proposed} to review`}
      </span>
    </Button>
  );
}

/** Sub-agents are shown while one looks at what they work for, or at one of them. */
function isOpen({ session, subagents }: Family, selected: string | null): boolean {
  return [session, ...subagents].some((one) => one.sessionId === selected);
}

/** How many wait in each session. */
function counted(waiting: readonly { sessionId: string }[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { sessionId } of waiting) counts.set(sessionId, (counts.get(sessionId) ?? 0) + 1);
  return counts;
}

/** Every word in the title or in the folder's name, in any order. */
function named(sessions: readonly SessionSummary[], words: string): readonly SessionSummary[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length === 0) return sessions;
  return sessions.filter((session) => {
    const name = `${session.title} ${folderName(session.project)}`.toLowerCase();
    return wanted.every((word) => name.includes(word));
  });
}

function moveByArrow(event: KeyboardEvent<HTMLElement>) {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const jump = { Home: 0, End: -1 }[event.key];
  if (by === undefined && jump === undefined) return;
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>(".session")];
  const now = rows.indexOf(document.activeElement as HTMLElement);
  const next = jump !== undefined ? rows.at(jump) : rows[now + (by ?? 0)];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
