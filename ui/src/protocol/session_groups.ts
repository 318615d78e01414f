/** The list of sessions as it is read: filtered, the pinned ones first, then by folder and day. Pure. */
import type { SessionState, SessionSummary } from "./generated";
import { eachFamily, type Family, projectOf } from "./sessions";

/** Which sessions are listed: all but the archived ones, those alone, or those that stand so. */
export type Shown = "all" | "waiting" | "running" | "stopped" | "done" | "archived";

const statesOf: Readonly<Record<Exclude<Shown, "all" | "archived">, readonly SessionState[]>> = {
  waiting: ["waiting"],
  running: ["running"],
  stopped: ["paused", "interrupted", "failed", "cancelled"],
  done: ["done", "idle"],
};

/** How long ago a session was last used, by calendar days. */
export type Day = "today" | "yesterday" | "week" | "month" | "older";

/** The sessions of one day, the last used first. */
type DayList = { day: Day; families: readonly Family[] };
/** Null as the project: the pinned ones of all projects. */
export type Group = { project: string | null; days: readonly DayList[] };

type Wanted = {
  /** Every word in the title, in the folder's name or in the worktree's branch, in any order. */
  words: string;
  shown: Shown;
  /** The folder that is open, which is listed first and also without a session. */
  folder: string | null;
  /** Those in which something waits for the user, whatever their runs do. */
  waiting: ReadonlySet<string>;
  /** Milliseconds since 1970. */
  now: number;
};

export function groupsOf(sessions: readonly SessionSummary[], wanted: Wanted): Group[] {
  const isFiltered = wanted.words.trim() !== "" || wanted.shown !== "all";
  const dayOf = daysBefore(wanted.now);
  const pinned: Days = new Map();
  const projects = new Map<string, Days>();
  const open = sessions.find((one) => one.project === wanted.folder && one.worktree);
  const first = open ? projectOf(open) : wanted.folder;
  if (first !== null && !isFiltered) projects.set(first, new Map());
  const daysOf = (project: string): Days => {
    const known = projects.get(project);
    if (known) return known;
    const days: Days = new Map();
    projects.set(project, days);
    return days;
  };
  eachFamily(filtered(sessions, wanted), (family) => {
    const { session } = family;
    const days = session.pinned && wanted.shown !== "archived" ? pinned : daysOf(projectOf(session));
    const day = dayOf(session.updatedAt);
    const list = days.get(day);
    if (list) list.push(family);
    else days.set(day, [family]);
  });
  const groups = [...projects].map(([project, days]): Group => ({ project, days: inOrder(days) }));
  return pinned.size > 0 ? [{ project: null, days: inOrder(pinned) }, ...groups] : groups;
}

/** The families of each day, in the order that they come in, which is that of their last use, but for one that works
 * without a new prompt. */
type Days = Map<Day, Family[]>;

const order: readonly Day[] = ["today", "yesterday", "week", "month", "older"];

function inOrder(days: Days): DayList[] {
  return order.flatMap((day) => {
    const families = days.get(day);
    return families ? [{ day, families }] : [];
  });
}

function filtered(
  sessions: readonly SessionSummary[],
  { words, shown, waiting }: Wanted,
): readonly SessionSummary[] {
  const isAway = awayAmong(sessions);
  const isShown = (one: SessionSummary) => {
    if (isAway(one) !== (shown === "archived")) return false;
    if (shown === "all" || shown === "archived") return true;
    return statesOf[shown].includes(waiting.has(one.sessionId) ? "waiting" : one.state);
  };
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return sessions.filter((one) => isShown(one) && wanted.every((word) => nameOf(one).includes(word)));
}

/** Where a session is listed however it stands. */
export function listOf(sessions: readonly SessionSummary[], sessionId: string): "all" | "archived" {
  return sessions.filter(awayAmong(sessions)).some((one) => one.sessionId === sessionId) ? "archived" : "all";
}

/** Archived, or a sub-agent's whose parent is. */
function awayAmong(sessions: readonly SessionSummary[]): (one: SessionSummary) => boolean {
  const away = new Set<string>();
  for (const one of sessions) if (one.archived) away.add(one.sessionId);
  return (one) => one.archived || (one.parent !== null && away.has(one.parent));
}

/** Makes ready what the words of a filter are looked for in, so that the first character takes no longer than others. */
export function prepareFilter(sessions: readonly SessionSummary[]): void {
  for (const one of sessions) nameOf(one);
}

/** Made once for each: of ten thousand, that is most of what filtering them takes. */
const names = new WeakMap<SessionSummary, string>();

function nameOf(session: SessionSummary): string {
  const known = names.get(session);
  if (known !== undefined) return known;
  const project = projectOf(session);
  const folder = project.slice(Math.max(project.lastIndexOf("/"), project.lastIndexOf("\\")) + 1);
  const name = `${session.title} ${folder} ${session.worktree?.branch ?? ""}`.toLowerCase();
  names.set(session, name);
  return name;
}

/** In the user's own days, which are not always of 24 hours. */
export function daysBefore(now: number): (ts: number) => Day {
  const start = (days: number) => {
    const date = new Date(now);
    return new Date(date.getFullYear(), date.getMonth(), date.getDate() - days).getTime();
  };
  const [today, yesterday, week, month] = [start(0), start(1), start(6), start(29)];
  return (ts) => {
    if (ts >= today) return "today";
    if (ts >= yesterday) return "yesterday";
    if (ts >= week) return "week";
    return ts >= month ? "month" : "older";
  };
}
