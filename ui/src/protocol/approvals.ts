/** Approvals: the pending ones across sessions, and a session's decided ones. Pure. */
import type { ApprovalSummary, CommandPreview, Event, Preview } from "./generated";
import {
  flag,
  isRecord,
  list,
  maybeNumber,
  maybeText,
  payloadOf,
  readCommand,
  readPreview,
  record,
  text,
} from "./read";
import { isTakenBack, type Rewind } from "./rewinds";

export type PendingApproval = ApprovalSummary & { supersedes: string | null };

export type DecidedApproval = {
  approvalId: string;
  callId: string;
  toolId: string;
  decidedAt: number;
  decision: "approve" | "reject";
  /** Indexes of the hunks taken as proposed or edited; null means all. */
  hunks: number[] | null;
  edited: Readonly<Record<number, string>>;
  /** The user's own command, which ran in place of the shown one. */
  ownCommand: string | null;
  reason: string;
  resolvedBy: string;
  preview: Preview | null;
  command: CommandPreview | null;
  /** The file had changed, so nothing was written; another approval took its place. */
  superseded: boolean;
  seq: number;
  /** The files were rewound to before it. */
  takenBack: boolean;
};

export type DecidedState = {
  requested: Readonly<Record<string, PendingApproval>>;
  decided: DecidedApproval[];
  /** Of files. */
  rewinds: readonly Rewind[];
};

export const emptyDecided: DecidedState = { requested: {}, decided: [], rewinds: [] };

export function readApproval(event: Event): PendingApproval | null {
  const p = payloadOf(event);
  const approvalId = maybeText(p, "approvalId");
  if (event.type !== "approval.requested" || approvalId === null) return null;
  return {
    approvalId,
    sessionId: event.sessionId,
    runId: event.runId ?? "",
    callId: text(p, "callId"),
    toolId: text(p, "toolId", "tool"),
    args: p.args ?? {},
    risk: riskWords(p.risk),
    reason: text(p, "reason"),
    requestedAt: event.ts,
    timeoutSeconds: maybeNumber(p, "timeoutSeconds"),
    preview: readPreview(p.preview),
    command: readCommand(p.command),
    supersedes: maybeText(p, "supersedes"),
  };
}

/** When it counts as rejected if nobody has answered, in milliseconds since 1970; null: never. */
export function expiresAt({ requestedAt, timeoutSeconds }: PendingApproval): number | null {
  return timeoutSeconds === null ? null : requestedAt + timeoutSeconds * 1000;
}

/** The inbox after one event. An approval that supersedes another takes its place. */
export function pendingStep(pending: readonly PendingApproval[], event: Event): readonly PendingApproval[] {
  if (event.type === "approval.requested") {
    const asked = readApproval(event);
    if (!asked) return pending;
    const gone = new Set([asked.approvalId, asked.supersedes]);
    return [...pending.filter((one) => !gone.has(one.approvalId)), asked];
  }
  if (event.type === "approval.resolved") {
    const approvalId = text(payloadOf(event), "approvalId");
    return without(pending, (one) => one.approvalId === approvalId);
  }
  if (event.type === "run.cancelled" || event.type === "run.failed" || event.type === "run.completed") {
    return without(pending, (one) => one.sessionId === event.sessionId && one.runId === event.runId);
  }
  return pending;
}

function without(pending: readonly PendingApproval[], gone: (one: PendingApproval) => boolean) {
  return pending.some(gone) ? pending.filter((one) => !gone(one)) : pending;
}

export function decidedStep(state: DecidedState, event: Event): DecidedState {
  const asked = readApproval(event);
  if (asked) {
    const requested = { ...state.requested, [asked.approvalId]: asked };
    // The file had changed: what was decided about the old preview was never written.
    const decided = asked.supersedes
      ? state.decided.map((one) => (one.approvalId === asked.supersedes ? { ...one, superseded: true } : one))
      : state.decided;
    return { ...state, requested, decided };
  }
  const p = payloadOf(event);
  if (event.type === "session.rewound" && flag(p, "files")) return filesRewound(state, event, p);
  if (event.type !== "approval.resolved") return state;
  const request = state.requested[text(p, "approvalId")];
  if (!request) return state;
  const decided: DecidedApproval = {
    approvalId: request.approvalId,
    callId: request.callId,
    toolId: request.toolId,
    decidedAt: event.ts,
    decision: text(p, "decision") === "reject" ? "reject" : "approve",
    hunks: Array.isArray(p.hunks) ? list(p, "hunks").filter((one) => typeof one === "number") : null,
    edited: readEdited(p.edited),
    ownCommand: maybeText(p, "command"),
    reason: text(p, "reason") || text(p, "note"),
    resolvedBy: text(p, "resolvedBy"),
    preview: request.preview,
    command: request.command,
    superseded: false,
    seq: event.seq,
    takenBack: false,
  };
  return { ...state, decided: [decided, ...state.decided] };
}

function filesRewound(state: DecidedState, event: Event, p: Record<string, unknown>): DecidedState {
  const rewinds = [...state.rewinds, { seq: event.seq, toSeq: maybeNumber(p, "toSeq") ?? event.seq }];
  const decided = state.decided.map((one) => ({ ...one, takenBack: isTakenBack(rewinds, one.seq) }));
  return { ...state, decided, rewinds };
}

/** `edited` maps hunk index to text; an engine that only lists the indexes is understood too. */
function readEdited(value: unknown): Record<number, string> {
  if (Array.isArray(value)) {
    return Object.fromEntries(value.filter((one) => typeof one === "number").map((index) => [index, ""]));
  }
  const entries = Object.entries(record(value));
  return Object.fromEntries(
    entries.map(([index, edit]) => [Number(index), typeof edit === "string" ? edit : ""]),
  );
}

export function riskWords(risk: unknown): string {
  if (typeof risk === "string") return risk;
  return isRecord(risk) ? text(risk, "level") : "";
}
