/** The list of sessions as it is read: filtered, the pinned ones first, then by folder and day. Pure. */
import type { SessionState, SessionSummary } from "./generated";
import { type Family, projectOf } from "./sessions";

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
  const fits = fitting(wanted);
  const dayOf = daysBefore(wanted.now);
  const pinned: Days = new Map();
  const projects = new Map<string, Days>();
  if (wanted.folder !== null && !isFiltered) {
    const open = sessions.find((one) => one.worktree && one.project === wanted.folder);
    projects.set(open ? projectOf(open) : wanted.folder, new Map());
  }
  for (const entry of entriesOf(sessions)) {
    // A sub-agent's session stands below its parent's, and for itself where that one is not listed.
    if (!fits(entry) || (entry.parent !== null && fits(entry.parent))) continue;
    const days =
      entry.session.pinned && wanted.shown !== "archived"
        ? pinned
        : kept(projects, entry.project, () => new Map());
    kept(days, dayOf(entry.session.updatedAt), () => []).push(familyOf(entry, fits));
  }
  const groups = [...projects].map(([project, days]): Group => ({ project, days: inOrder(days) }));
  return pinned.size > 0 ? [{ project: null, days: inOrder(pinned) }, ...groups] : groups;
}

function familyOf(entry: Entry, fits: (one: Entry) => boolean): Family {
  if (entry.subagents.length === 0) return entry.alone;
  return { session: entry.session, subagents: entry.subagents.filter(fits).map((one) => one.session) };
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

/** What a map has at a key, made where it has nothing yet. */
function kept<K extends object | string, V>(
  map: { get: (key: K) => V | undefined; set: (key: K, value: V) => unknown },
  key: K,
  make: (key: K) => V,
): V {
  const known = map.get(key) ?? make(key);
  map.set(key, known);
  return known;
}

function fitting({ words, shown, waiting }: Wanted): (entry: Entry) => boolean {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const isAway = shown === "archived";
  const states = shown === "all" || shown === "archived" ? null : statesOf[shown];
  return (entry) => {
    if (entry.isAway !== isAway) return false;
    for (const word of wanted) if (!entry.name.includes(word)) return false;
    const { sessionId, state } = entry.session;
    return states === null || states.includes(waiting.has(sessionId) ? "waiting" : state);
  };
}

/** Where a session is listed however it stands. */
export function listOf(sessions: readonly SessionSummary[], sessionId: string): "all" | "archived" {
  const entry = entriesOf(sessions).find((one) => one.session.sessionId === sessionId);
  return entry?.isAway ? "archived" : "all";
}

/** Makes ready what the words of a filter are looked for in, so that the first character takes no longer than others. */
export function prepareFilter(sessions: readonly SessionSummary[]): void {
  entriesOf(sessions);
}

/** A session with what no filter changes of it. */
type Entry = {
  session: SessionSummary;
  /** What the words of a filter are looked for in. */
  name: string;
  project: string;
  /** Archived, or a sub-agent's whose parent is. */
  isAway: boolean;
  /** The session it works for, where that one is listed and no sub-agent's itself. */
  parent: Entry | null;
  /** Those that work for it, the oldest first. */
  subagents: Entry[];
  /** Itself without them. */
  alone: Family;
};

/** Made once for each list, and once for each session that has nothing to do with others: there may be ten thousand. */
const entries = new WeakMap<readonly SessionSummary[], readonly Entry[]>();
const lone = new WeakMap<SessionSummary, Entry>();

function entriesOf(sessions: readonly SessionSummary[]): readonly Entry[] {
  const known = entries.get(sessions);
  if (known) return known;
  const parents = new Set<string>();
  for (const { parent } of sessions) if (parent !== null) parents.add(parent);
  const related: Entry[] = [];
  const made = sessions.map((one) => {
    if (one.parent === null && !parents.has(one.sessionId)) return kept(lone, one, newEntry);
    const entry = newEntry(one);
    related.push(entry);
    return entry;
  });
  placeSubagents(related);
  entries.set(sessions, made);
  return made;
}

function newEntry(session: SessionSummary): Entry {
  const project = projectOf(session);
  const folder = project.slice(Math.max(project.lastIndexOf("/"), project.lastIndexOf("\\")) + 1);
  const name = `${session.title} ${folder} ${session.worktree?.branch ?? ""}`.toLowerCase();
  const alone = { session, subagents: [] };
  return { session, name, project, isAway: session.archived, parent: null, subagents: [], alone };
}

function placeSubagents(related: readonly Entry[]): void {
  const byId = new Map(related.map((entry) => [entry.session.sessionId, entry]));
  for (const entry of related) {
    const parent = byId.get(entry.session.parent ?? "");
    if (!parent) continue;
    entry.isAway ||= parent.session.archived;
    if (parent.session.parent !== null) continue;
    entry.parent = parent;
    parent.subagents.push(entry);
  }
  for (const { subagents } of related) subagents.sort((a, b) => a.session.createdAt - b.session.createdAt);
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
