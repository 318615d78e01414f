/**
 * What a session did over time, as a tree of spans: runs, their turns, and in these the calls with what they waited for.
 * Pure. A span without its end still runs, or goes on after what is loaded, or is lost: nobody knows when it ended.
 */
import { type ByKind, byKind } from "../../protocol/events";
import type { Event, Usage } from "../../protocol/generated";
import { text } from "../../protocol/read";

export type SpanKind = "run" | "turn" | "model" | "tool" | "reads" | "agent" | "wait" | "hook";
export type SpanEnd = "done" | "error" | "running" | "cut" | "lost";
/** What comes after the last event: more until `now`, nothing any more, or events that are not loaded. */
export type Edge = { now: number } | "over" | "cut";
/** Before the first token, at work, or waiting for somebody. */
export type Look = "first" | "work" | "wait";
export type Piece = { from: number; to: number; look: Look };

export type Span = {
  key: string;
  kind: SpanKind;
  /** A name: of a model, a tool, an agent or a hook; of a run its prompt; of a wait its reason. */
  name: string;
  /** More about it, such as the path that is read. */
  detail: string;
  turn: number;
  from: number;
  to: number;
  end: SpanEnd;
  pieces: Piece[];
  children: Span[];
  /** Its events, in order. */
  events: Event[];
  usage: Usage | null;
  ttftMs: number | null;
  isRead: boolean;
  /** It goes on after its turn, and if it is a command after its run too. */
  inBackground: boolean;
};

/** A run while it is read. */
type Run = {
  span: Span;
  turn: Span | null;
  /** The request whose answer is still to come, and the last one that has it. */
  asked: Span | null;
  answered: Span | null;
  calls: Map<string, Span>;
  paused: Span | null;
  lastTs: number;
};

type Reading = {
  spans: Span[];
  runs: Map<string, Run>;
  /** By the ids of approvals and questions. */
  waits: Map<string, Span>;
  /** Calls that go on after their placeholder, by the ids of their results. */
  background: Map<string, Span>;
  /** All that have no end yet. */
  open: Set<Span>;
};

export function spansOf(events: readonly Event[], edge: Edge): Span[] {
  const reading: Reading = {
    spans: [],
    runs: new Map(),
    waits: new Map(),
    background: new Map(),
    open: new Set(),
  };
  for (const event of events) {
    byKind(steps, reading, event);
    const run = event.runId === null ? undefined : reading.runs.get(event.runId);
    if (run) run.lastTs = event.ts;
  }
  const last = events.at(-1)?.ts ?? 0;
  const queued = queuedIn(reading);
  // What is in a call before the call: it is at work only where nothing is waited for.
  for (const span of [...reading.open].reverse()) {
    if (edge === "cut") close(reading, span, last, "cut");
    else if (edge === "over") close(reading, span, last, outlivesRuns(span) ? "running" : "lost");
    else close(reading, span, Math.max(edge.now, span.from), "running");
    if (queued.has(span)) span.pieces = [{ from: span.from, to: span.to, look: "wait" }];
  }
  reading.spans.forEach(enclose);
  return reading.spans;
}

/** Calls are carried out one after the other: those beside one that waits for somebody have not begun. */
function queuedIn({ runs, open }: Reading): ReadonlySet<Span> {
  const waits = (call: Span) => call.children.some((child) => child.kind === "wait" && open.has(child));
  return new Set(
    [...runs.values()].flatMap(({ calls }) => {
      const left = [...calls.values()].filter((call) => open.has(call) && !call.inBackground);
      return left.some(waits) ? left.filter((call) => call.kind === "tool" && !waits(call)) : [];
    }),
  );
}

const steps: ByKind<Reading, void> = {
  "run.started": (reading, { prompt }, event) => {
    // Only a crash leaves a run without its end.
    for (const [, other] of reading.runs) if (reading.open.has(other.span)) loseRun(reading, other);
    const { span } = runOf(reading, event);
    span.name = prompt;
    span.events.push(event);
  },
  "run.paused": (reading, { reason, approvalId, questionId }, event) => {
    const run = runOf(reading, event);
    const wait = reading.waits.get(approvalId ?? questionId ?? "");
    if (wait) {
      wait.events.push(event);
      return;
    }
    const crashed = reason === "interrupted";
    if (crashed) loseCalls(reading, run);
    else if (run.asked) close(reading, run.asked, event.ts, "error");
    run.asked = null;
    run.paused = begun(reading, run.span, event, "wait", reason, crashed ? run.lastTs : event.ts);
  },
  "run.resumed": (reading, { reason, approvalId, questionId }, event) => {
    const run = runOf(reading, event);
    const wait = reading.waits.get(approvalId ?? questionId ?? "");
    if (wait) wait.events.push(event);
    if (reason === "interrupted" && run.paused === null) {
      loseCalls(reading, run);
      run.paused = begun(reading, run.span, event, "wait", reason, run.lastTs);
    } else run.paused?.events.push(event);
    if (run.paused) close(reading, run.paused, event.ts, "done");
    run.paused = null;
  },
  "run.completed": (reading, _, event) => ended(reading, event, "done"),
  "run.failed": (reading, _, event) => ended(reading, event, "error"),
  "run.cancelled": (reading, _, event) => ended(reading, event, "done"),
  "engine.request": (reading, { turn, provider, model, purpose }, event) => {
    const run = runOf(reading, event);
    if (run.asked) lose(reading, run.asked, run.lastTs);
    run.asked = begun(reading, turnOf(run, event, turn), event, "model", `${provider}/${model}`);
    run.asked.detail = purpose ?? "";
  },
  "engine.retry": (reading, { delayMs }, event) => {
    const { asked } = runOf(reading, event);
    asked?.events.push(event);
    asked?.pieces.push({ from: event.ts, to: event.ts + delayMs, look: "wait" });
  },
  "engine.response": (reading, payload, event) => {
    const run = runOf(reading, event);
    const { turn, usage, ttftMs, durationMs } = payload;
    const isLate = run.asked === null;
    const span =
      run.asked ??
      begun(reading, turnOf(run, event, turn), event, "model", "", Math.max(0, event.ts - durationMs));
    if (!isLate) span.events.push(event);
    const retries = span.pieces;
    const sent = Math.min(event.ts, Math.max(span.from, event.ts - durationMs));
    const first = ttftMs === null ? sent : Math.min(event.ts, sent + ttftMs);
    Object.assign(span, { usage, ttftMs });
    const before: Piece = { from: span.from, to: sent, look: retries.length > 0 ? "wait" : "first" };
    const pieces: Piece[] = [
      before,
      { from: sent, to: first, look: "first" },
      { from: first, to: event.ts, look: "work" },
    ];
    span.pieces = pieces.filter((piece) => piece.to > piece.from);
    close(reading, span, event.ts, "done");
    run.asked = null;
    run.answered = span;
  },
  "output.message": (reading, _, event) => {
    const run = runOf(reading, event);
    (run.asked ?? run.answered)?.events.push(event);
  },
  "tool.call": (reading, { turn, callId, toolId, args, category }, event) => {
    const run = runOf(reading, event);
    const span = begun(reading, turnOf(run, event, turn), event, "tool", toolId);
    span.detail = telling(args);
    span.isRead = category === "read";
    run.calls.set(callId, span);
  },
  "subagent.started": (reading, { callId, agent }, event) => {
    const call = runOf(reading, event).calls.get(callId);
    if (!call) return;
    call.kind = "agent";
    call.name = agent;
    call.events.push(event);
  },
  "policy.decided": (reading, { callId }, event) => ofCall(reading, callId, event),
  "file.changed": (reading, { callId }, event) => ofCall(reading, callId, event),
  "approval.requested": (reading, { approvalId, callId, supersedes }, event) => {
    const before = supersedes ? reading.waits.get(supersedes) : undefined;
    if (before) close(reading, before, event.ts, "done");
    asks(reading, approvalId, callId, "approval", event);
  },
  "approval.resolved": (reading, { approvalId }, event) => waited(reading, approvalId, event),
  "question.asked": (reading, { questionId, callId }, event) =>
    asks(reading, questionId, callId, "question", event),
  "question.answered": (reading, { questionId }, event) => waited(reading, questionId, event),
  "tool.result": (reading, payload, event) => {
    const { callId, toolId, isError, durationMs, asyncCallId } = payload;
    const run = runOf(reading, event);
    const of = run.calls.get(callId);
    // Its call is not among the events that are loaded.
    const span = of ?? begun(reading, run.turn ?? run.span, event, "tool", toolId, event.ts - durationMs);
    if (of) of.events.push(event);
    if (asyncCallId) {
      reading.background.set(asyncCallId, span);
      span.inBackground = true;
      if (run.turn) run.turn.to = Math.max(run.turn.to, event.ts);
      return;
    }
    // All calls of an answer are stored with it: a call begins when its turn has come.
    const waits = span.children.filter((child) => child.kind === "wait");
    for (const wait of waits) close(reading, wait, event.ts, "done");
    const start = Math.max(span.from, event.ts - durationMs);
    span.from = Math.min(start, ...waits.map((wait) => wait.from));
    const queued: Piece = { from: span.from, to: start, look: "wait" };
    span.pieces = [...(queued.to > queued.from ? [queued] : []), ...working(start, event.ts, waits)];
    close(reading, span, event.ts, isError ? "error" : "done");
  },
  "tool.async_result": (reading, { asyncCallId, toolId, isError }, event) => {
    const of = reading.background.get(asyncCallId);
    const span = of ?? begun(reading, null, event, "tool", toolId);
    if (of) of.events.push(event);
    close(reading, span, event.ts, isError ? "error" : "done");
  },
  "hook.ran": (reading, { hook, callId, durationMs, outcome }, event) => {
    const run = event.runId === null ? null : runOf(reading, event);
    const of = (callId ? run?.calls.get(callId) : undefined) ?? run?.turn ?? run?.span ?? null;
    const span = begun(reading, of, event, "hook", hook, event.ts - durationMs);
    close(reading, span, event.ts, outcome === "blocked" || outcome === "failed" ? "error" : "done");
  },
};

function ofCall(reading: Reading, callId: string, event: Event): void {
  runOf(reading, event).calls.get(callId)?.events.push(event);
}

/** The user is waited for, in a call where it is about one. */
function asks(reading: Reading, id: string, callId: string | null, about: string, event: Event): void {
  const run = runOf(reading, event);
  const of = (callId && run.calls.get(callId)) || run.turn || run.span;
  reading.waits.set(id, begun(reading, of, event, "wait", about));
}

function runOf(reading: Reading, event: Event): Run {
  const id = event.runId ?? "";
  const known = reading.runs.get(id);
  if (known) return known;
  const span = begun(reading, null, event, "run", "");
  // It may have begun before the events that are loaded.
  span.events = [];
  const run = {
    span,
    turn: null,
    asked: null,
    answered: null,
    calls: new Map(),
    paused: null,
    lastTs: event.ts,
  };
  reading.runs.set(id, run);
  return run;
}

function turnOf(run: Run, event: Event, turn: number): Span {
  if (run.turn?.turn === turn) return run.turn;
  const span = { ...spanOf(event, "turn", "", event.ts), turn, events: [] };
  // It ends with what is in it.
  span.end = "done";
  run.turn = span;
  run.span.children.push(span);
  return span;
}

function begun(
  reading: Reading,
  parent: Span | null,
  event: Event,
  kind: SpanKind,
  name: string,
  from = event.ts,
): Span {
  const span = spanOf(event, kind, name, Math.min(from, event.ts));
  span.turn = parent?.turn ?? 0;
  (parent?.children ?? reading.spans).push(span);
  reading.open.add(span);
  return span;
}

function spanOf(event: Event, kind: SpanKind, name: string, from: number): Span {
  return {
    key: `${kind} ${event.seq}`,
    kind,
    name,
    detail: "",
    turn: 0,
    from,
    to: from,
    end: "lost",
    pieces: [],
    children: [],
    events: [event],
    usage: null,
    ttftMs: null,
    isRead: false,
    inBackground: false,
  };
}

function close(reading: Reading, span: Span, to: number, end: SpanEnd): void {
  if (!reading.open.delete(span)) return;
  span.to = Math.max(span.from, to);
  span.end = end;
  if (span.pieces.length === 0 && span.kind !== "run") {
    const waits = span.children.filter((child) => child.kind === "wait");
    const look = span.kind === "wait" ? "wait" : "work";
    span.pieces =
      look === "wait" ? [{ from: span.from, to: span.to, look }] : working(span.from, span.to, waits);
  }
}

/** The last that was heard of it is all that is known. */
const lose = (reading: Reading, span: Span, lastTs: number) => close(reading, span, lastTs, "lost");

function loseCalls(reading: Reading, run: Run): void {
  const lost = [run.asked, ...run.calls.values()];
  for (const span of lost) {
    for (const child of span?.children ?? []) lose(reading, child, run.lastTs);
    if (span && !span.inBackground) lose(reading, span, run.lastTs);
  }
  run.asked = null;
}

function loseRun(reading: Reading, run: Run): void {
  loseCalls(reading, run);
  if (run.paused) lose(reading, run.paused, run.lastTs);
  lose(reading, run.span, run.lastTs);
}

/** Sub-agents in the background belong to their run; commands end with Arki alone, and then the log says so. */
function outlivesRuns({ inBackground, kind }: Span): boolean {
  return inBackground && kind !== "agent";
}

function ended(reading: Reading, event: Event, end: SpanEnd): void {
  const run = runOf(reading, event);
  run.span.events.push(event);
  if (run.asked) close(reading, run.asked, event.ts, "error");
  if (run.paused) close(reading, run.paused, event.ts, "done");
  loseCalls(reading, run);
  close(reading, run.span, event.ts, end);
}

function waited(reading: Reading, id: string, event: Event): void {
  const wait = reading.waits.get(id);
  wait?.events.push(event);
  if (wait) close(reading, wait, event.ts, "done");
}

/** The time from one to the other, without the waits in it. */
function working(from: number, to: number, waits: readonly Span[]): Piece[] {
  const pieces: Piece[] = [];
  let at = from;
  for (const wait of waits) {
    const [start, end] = [Math.max(at, wait.from), Math.min(to, wait.to)];
    if (end <= start) continue;
    pieces.push({ from: at, to: start, look: "work" }, { from: start, to: end, look: "wait" });
    at = end;
  }
  return [...pieces, { from: at, to, look: "work" as const }].filter((piece) => piece.to > piece.from);
}

/** A turn is as long as what is in it, and a run at least; what goes on in the background outlives both. */
function enclose(span: Span): void {
  span.children.forEach(enclose);
  if (span.kind !== "turn" && span.kind !== "run") return;
  const ofIts = (children: readonly Span[]) => children.filter((child) => !child.inBackground);
  for (const child of ofIts(span.children)) {
    span.from = Math.min(span.from, child.from);
    // Hooks may end after their call.
    span.to = Math.max(span.to, ...[child, ...ofIts(child.children)].map((one) => one.to));
    if ((child.end === "running" || child.end === "cut") && span.kind === "turn") span.end = child.end;
  }
}

const tellingKeys = ["path", "command", "pattern", "query", "url", "task", "name", "question"];

function telling(args: unknown): string {
  for (const key of tellingKeys) {
    const value = text(args, key);
    if (value !== "") return value.split("\n")[0] ?? "";
  }
  return "";
}
