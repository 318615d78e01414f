/** The list of sessions, kept current from the events of all of them. Pure. */
import { type EventOf, endsRun, type PayloadOf } from "./events";
import type { Event, SessionState, SessionSummary } from "./generated";
import { shorten } from "./shorten";

const stateAfter: Readonly<Partial<Record<Event["type"], SessionState>>> = {
  "run.started": "running",
  "run.resumed": "running",
  "question.asked": "waiting",
  "question.answered": "running",
  "run.completed": "done",
  "run.failed": "failed",
  "run.cancelled": "cancelled",
};

export function sessionsStep(sessions: readonly SessionSummary[], event: Event): readonly SessionSummary[] {
  const known = sessions.find((session) => session.sessionId === event.sessionId);
  if (!known) return event.type === "session.created" ? [created(event), ...sessions] : sessions;
  const next = { ...known, ...change(known, event) };
  if (same(known, next)) return sessions;
  const others = sessions.filter((session) => session !== known);
  // Only a new prompt moves a session to the top: a list that reorders under the pointer is a trap.
  if (event.type === "run.started") return [{ ...next, updatedAt: event.ts }, ...others];
  // Whoever puts a session elsewhere in the list has not worked in it.
  const updatedAt = onlyMarks(event) ? known.updatedAt : event.ts;
  return sessions.map((session) => (session === known ? { ...next, updatedAt } : session));
}

function onlyMarks(event: Event): boolean {
  if (event.type !== "session.configured") return false;
  return Object.keys(event.payload).every((key) => key === "pinned" || key === "archived");
}

function created({ payload: p, ...event }: EventOf<"session.created">): SessionSummary {
  return {
    sessionId: event.sessionId,
    title: p.title,
    project: p.project,
    createdAt: event.ts,
    updatedAt: event.ts,
    state: "idle",
    pendingApprovals: 0,
    origin: null,
    parent: p.parentSession ?? null,
    agent: p.agent,
    pinned: false,
    archived: false,
    ...(p.worktree && { worktree: p.worktree }),
  };
}

function change(known: SessionSummary, event: Event): Partial<SessionSummary> {
  const state =
    event.type === "run.paused" ? pausedFor(event.payload) : (stateAfter[event.type] ?? known.state);
  if (event.type === "session.created") return { title: event.payload.title || known.title };
  if (event.type === "session.configured") {
    const { title, pinned, archived } = event.payload;
    return {
      title: title ?? known.title,
      pinned: pinned ?? known.pinned,
      archived: archived ?? known.archived,
    };
  }
  if (event.type === "session.forked") return { origin: event.payload.fromSession, parent: null };
  if (event.type === "run.started") {
    return {
      state,
      archived: false,
      title: known.title || shorten(event.payload.prompt.split("\n")[0] ?? "", 80),
    };
  }
  if (event.type === "approval.requested") {
    const more = event.payload.supersedes ? 0 : 1;
    return { pendingApprovals: known.pendingApprovals + more, state: "waiting" };
  }
  if (event.type === "approval.resolved") {
    return { pendingApprovals: Math.max(0, known.pendingApprovals - 1) };
  }
  return endsRun.has(event.type) ? { state, pendingApprovals: 0 } : { state };
}

/** An approval, a plan or a question waits for the user; a budget or the user only paused the run. */
function pausedFor({ reason, questionId }: PayloadOf<"run.paused">): SessionState {
  const waits = reason === "approval" || reason === "plan" || Boolean(questionId);
  return waits ? "waiting" : "paused";
}

function same(a: SessionSummary, b: SessionSummary): boolean {
  const kept = a.title === b.title && a.state === b.state && a.origin === b.origin && a.parent === b.parent;
  const marks = a.pinned === b.pinned && a.archived === b.archived;
  return kept && marks && a.pendingApprovals === b.pendingApprovals;
}

export function isActive(state: SessionState): boolean {
  return state === "running" || state === "waiting";
}

/** A run is in progress or stopped half-way: what is said meanwhile is queued. */
export function isUnfinished(state: SessionState): boolean {
  return isActive(state) || state === "paused";
}

/** A session with those of the sub-agents that work or worked for it, the oldest first. */
export type Family = { session: SessionSummary; subagents: readonly SessionSummary[] };

/** The folder to open with a session: a sub-agent may work in a worktree, which belongs to the folder of the session above. */
export function folderOf(session: SessionSummary, sessions: readonly SessionSummary[]): string {
  const above = sessions.find((one) => one.sessionId === session.parent);
  return (above ?? session).project;
}

/** The project under which a session is listed: that of the worktree, where its folder is one. */
export function projectOf(session: SessionSummary): string {
  return session.worktree?.project ?? session.project;
}

/** The sessions, by id, of the sub-agents that work or worked for one. */
export function subagentsOf(sessions: readonly SessionSummary[], sessionId: string): string[] {
  return sessions.filter((one) => one.parent === sessionId).map((one) => one.sessionId);
}

/** Where what waits in a session is to be decided: with whom a sub-agent works for, as long as that one waits for it. */
export function decidedIn(sessions: readonly SessionSummary[], sessionId: string): string {
  const parent = sessions.find((one) => one.sessionId === sessionId)?.parent ?? null;
  const above = sessions.find((one) => one.sessionId === parent);
  return above && isActive(above.state) ? above.sessionId : sessionId;
}
