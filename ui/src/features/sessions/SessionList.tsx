/** The sessions in their groups. Only what is in sight is drawn. */
import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import {
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { folderName, homePath } from "../../components/format";
import { List } from "../../components/List";
import { useLatest } from "../../components/latest";
import { useApprovals, useArki, useAsking, useFolder } from "../../platform/context";
import type { Arki } from "../../platform/stores/arki";
import { useStore } from "../../platform/stores/store";
import type { SessionSummary } from "../../protocol/generated";
import { type Day, type Group, groupsOf, type Shown } from "../../protocol/session_groups";
import { decidedIn, type Family } from "../../protocol/sessions";
import { Row } from "./SessionRow";
import { needsTwoLines } from "./title_width";
import { useUnread } from "./unread";
import {
  type HeightOf,
  heightsNow,
  placeOf,
  type Slice,
  slicesOf,
  useBroughtInSight,
  useSight,
} from "./windowing";

export type ListProps = {
  sessions: readonly SessionSummary[];
  words: string;
  shown: Shown;
  folder: string | null;
  selected: string | null;
  /** What is open in the session's stead. */
  place?: string | null;
  /** The one whose title is being edited. */
  renaming: string | null;
  onRenaming: (sessionId: string | null) => void;
  onSelect: (sessionId: string) => void;
  /** The menu of one session, beside its row. */
  menuOf?: MenuOf | undefined;
  /** The session to rename is not among those that are listed. */
  onUnlisted: (sessionId: string) => void;
};

export type MenuOf = (of: { session: SessionSummary; row: HTMLElement; onClose: () => void }) => ReactNode;

const dayWords: Readonly<Record<Day, MessageDescriptor>> = {
  today: msg`Today`,
  yesterday: msg`Yesterday`,
  week: msg`Last 7 days`,
  month: msg`Last 30 days`,
  older: msg`Older`,
};

export function SessionList(props: ListProps) {
  const { sessions, words, shown, selected, renaming, onUnlisted } = props;
  const folder = useFolder(props.folder)?.worktree?.project ?? props.folder;
  const list = useRef<HTMLDivElement>(null);
  const sight = useSight(list);
  const counts = useCounts(sessions);
  const { waiting } = counts;
  const groups = useMemo(
    () => groupsOf(sessions, { words, shown, folder, waiting, now: Date.now() }),
    [sessions, words, shown, folder, waiting],
  );
  const isOpen = useCallback((family: Family) => words !== "" || holds(family, selected), [words, selected]);
  const heightOf = useHeights(sight.width ?? 0, counts.waiting, renaming);
  const slices = useMemo(
    () => slicesOf(groups, sight, isOpen, renaming, heightOf),
    [groups, sight, isOpen, renaming, heightOf],
  );
  useBroughtInSight(list, selected, groups, isOpen, heightOf);
  useBroughtInSight(list, renaming, groups, isOpen, heightOf);
  const latest = useLatest({ groups, isOpen, onUnlisted });
  useEffect(() => {
    const { groups, isOpen, onUnlisted } = latest.current;
    if (renaming !== null && placeOf(groups, renaming, isOpen) === null) onUnlisted(renaming);
  }, [renaming, latest]);
  const menu = useRowMenu(props);
  const rowOf = useRows(props, slices, counts, heightOf, menu.openAt);
  let at = 0;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: arrow keys move between the buttons inside
    <div className="sessions-list" ref={list} onKeyDown={menu.onKeyDown} onContextMenu={menu.open}>
      {menu.shown}
      {groups.length === 0 && (words !== "" || shown !== "all") && (
        <p className="sessions-none small secondary">{t`No session fits`}</p>
      )}
      {groups.map((group) => (
        <section key={group.project ?? "pinned"} aria-label={groupName(group)}>
          <h3
            className="sessions-project cut"
            title={group.project === null ? undefined : homePath(group.project)}
          >
            {groupName(group)}
          </h3>
          {group.days.length === 0 && <p className="sessions-none small secondary">{t`No sessions yet`}</p>}
          {group.days.map(({ day, families }) => {
            const slice = slices[at++];
            const name = i18n._(dayWords[day]);
            return (
              <div key={day}>
                {group.days.length > 1 && <h4 className="sessions-day small secondary">{name}</h4>}
                <List aria-label={name} style={slice && { paddingBottom: slice.below }}>
                  {slice?.drawn.map(({ family, number, room }) => (
                    <li
                      key={family.session.sessionId}
                      aria-setsize={families.length}
                      aria-posinset={number + 1}
                      style={room > 0 ? { paddingTop: room } : undefined}
                    >
                      <Row {...rowOf(family.session)} subagents={family.subagents.length} />
                      {family.subagents.length > 0 && isOpen(family) && (
                        <List aria-label={t`Sub-agents of ${family.session.title}`}>
                          {family.subagents.map((subagent) => (
                            <li key={subagent.sessionId}>
                              <Row {...rowOf(subagent)} subagents={0} />
                            </li>
                          ))}
                        </List>
                      )}
                    </li>
                  ))}
                </List>
              </div>
            );
          })}
        </section>
      ))}
    </div>
  );
}

function groupName({ project }: Group): string {
  if (project === null) return t`Pinned`;
  return folderName(project) || t`No project`;
}

/** What each row is given; the same for as long as it says the same. */
function useRows(
  props: ListProps,
  slices: readonly Slice[],
  counts: Counts,
  heightOf: HeightOf,
  onMenu: (row: HTMLElement) => void,
) {
  const { approvals, questions, waiting } = counts;
  const { selected, renaming, onSelect, onRenaming } = props;
  const arki = useArki();
  const lines = useStore(arki.lines.store);
  const unread = useUnread(props.sessions, selected);
  const latest = useLatest({ onSelect, onRenaming });
  const select = useCallback((sessionId: string) => latest.current.onSelect(sessionId), [latest]);
  const rename = useCallback((sessionId: string | null) => latest.current.onRenaming(sessionId), [latest]);
  useEffect(() => {
    const inSight = slices.flatMap(({ drawn }) => drawn.map(({ family }) => family.session.sessionId));
    arki.lines.want(inSight);
  }, [arki, slices]);
  return (session: SessionSummary) => ({
    session,
    lines: lines.get(session.sessionId) ?? null,
    current: session.sessionId === selected && !props.place,
    tall: session.parent === null && heightOf(session) > heightsNow().row,
    doing: works(session, waiting) && session.parent === null ? viewOf(arki, session) : null,
    unread: unread.has(session.sessionId),
    approvals: approvals.get(session.sessionId) ?? 0,
    questions: questions.get(session.sessionId) ?? 0,
    onSelect: select,
    onMenu,
    renaming: session.sessionId === renaming,
    onRenaming: rename,
  });
}

const works = ({ sessionId, state }: SessionSummary, waiting: ReadonlySet<string>) =>
  state === "running" && !waiting.has(sessionId);

const viewOf = (arki: Arki, { sessionId }: SessionSummary) => arki.held(sessionId)?.view ?? null;

/** A second line where the title needs it, or where what the run does is known. */
function useHeights(width: number, waiting: ReadonlySet<string>, renaming: string | null): HeightOf {
  const arki = useArki();
  const heights = heightsNow();
  return useCallback(
    (session) => {
      const tells = works(session, waiting) && viewOf(arki, session) !== null;
      const isTall = session.sessionId !== renaming && (tells || needsTwoLines(session, width));
      return isTall ? heights.row + heights.line : heights.row;
    },
    [arki, width, waiting, renaming, heights],
  );
}

/** By its button, the right mouse button, Shift+F10 or the menu key; Escape leads back to the row. */
function useRowMenu({ sessions, menuOf }: ListProps) {
  const [row, setRow] = useState<HTMLElement | null>(null);
  const open = (event: MouseEvent | KeyboardEvent) => {
    const next = (event.target as Element).closest<HTMLElement>("[data-session]");
    if (next === null || menuOf === undefined) return;
    event.preventDefault();
    setRow(next);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey)) open(event);
    else moveByArrow(event);
  };
  const session = row && sessions.find((one) => one.sessionId === row.dataset.session);
  const shown = session && menuOf?.({ session, row, onClose: () => setRow(null) });
  return { open, openAt: setRow, onKeyDown, shown };
}

/** Sub-agents are shown while one looks at what they work for, or at one of them. */
function holds({ session, subagents }: Family, selected: string | null): boolean {
  return session.sessionId === selected || subagents.some((one) => one.sessionId === selected);
}

type Counts = ReturnType<typeof useCounts>;

/** How many approvals and questions wait in each session, and in which sessions anything does. */
function useCounts(sessions: readonly SessionSummary[]) {
  const pending = useApprovals();
  const asking = useAsking();
  const approvals = useMemo(() => counted(pending, sessions), [pending, sessions]);
  const questions = useMemo(() => counted(asking, sessions), [asking, sessions]);
  const waiting = useMemo(() => new Set([...approvals.keys(), ...questions.keys()]), [approvals, questions]);
  return { approvals, questions, waiting };
}

/** A sub-agent's counts for it and for the session to decide in, whose row may be the only one that shows. */
function counted(waiting: readonly { sessionId: string }[], sessions: readonly SessionSummary[]) {
  const counts = new Map<string, number>();
  for (const { sessionId } of waiting)
    for (const id of new Set([sessionId, decidedIn(sessions, sessionId)]))
      counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

function moveByArrow(event: KeyboardEvent<HTMLElement>) {
  const list = event.currentTarget;
  const rows = () => [...list.querySelectorAll<HTMLElement>(".session")];
  if (event.key === "Home" || event.key === "End") {
    event.preventDefault();
    list.scrollTop = event.key === "Home" ? 0 : list.scrollHeight;
    // The rows there are drawn by then.
    requestAnimationFrame(() =>
      requestAnimationFrame(() =>
        rows()
          .at(event.key === "Home" ? 0 : -1)
          ?.focus(),
      ),
    );
    return;
  }
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (by === undefined) return;
  const all = rows();
  const next = all[all.indexOf(document.activeElement as HTMLElement) + by];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
