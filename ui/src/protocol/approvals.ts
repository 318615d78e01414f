/** Approvals: the pending ones across sessions, and a session's decided ones. Pure. */
import { type EventOf, endsRun } from "./events";
import type { ApprovalDecision, ApprovalSummary, Event } from "./generated";
import { text } from "./read";
import { isTakenBack, type Rewind } from "./rewinds";

export type PendingApproval = ApprovalSummary & { supersedes: string | null };

export type DecidedApproval = Pick<
  PendingApproval,
  "approvalId" | "callId" | "toolId" | "preview" | "command"
> & {
  /** What a pipeline's gate asked; null for anything else. */
  question: string | null;
  decidedAt: number;
  decision: ApprovalDecision;
  /** Indexes of the hunks taken as proposed or edited; null means all. */
  hunks: number[] | null;
  edited: Readonly<Record<number, string>>;
  /** The user's own command, which ran in place of the shown one. */
  ownCommand: string | null;
  reason: string;
  resolvedBy: string;
  /** The file had changed, so nothing was written; another approval took its place. */
  superseded: boolean;
  /** The accepted calls that failed after the decision, so that nothing of them was written. */
  failedCalls: readonly string[];
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
  if (event.type !== "approval.requested") return null;
  const { approvalId, callId, toolId, args, risk, rule, reason, ...rest } = event.payload;
  return {
    approvalId,
    sessionId: event.sessionId,
    runId: event.runId ?? "",
    kind: rest.kind ?? "tool",
    callId,
    toolId,
    args: args ?? {},
    risk,
    rule,
    reason,
    sentences: rest.sentences ?? [],
    requestedAt: event.ts,
    timeoutSeconds: rest.timeoutSeconds ?? null,
    preview: rest.preview ?? null,
    command: rest.command ?? null,
    supersedes: rest.supersedes ?? null,
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
    const { approvalId } = event.payload;
    return without(pending, (one) => one.approvalId === approvalId);
  }
  if (endsRun.has(event.type)) {
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
    // The file had changed: what was decided about the old preview was never written. Of several edits, others were.
    const isSuperseded = (one: DecidedApproval) =>
      one.approvalId === asked.supersedes && one.preview?.hunks.every((hunk) => !hunk.callId) !== false;
    const decided = asked.supersedes
      ? state.decided.map((one) => (isSuperseded(one) ? { ...one, superseded: true } : one))
      : state.decided;
    return { ...state, requested, decided };
  }
  if (event.type === "session.rewound" && event.payload.files) return filesRewound(state, event);
  if (event.type === "tool.result" && event.payload.isError) return callFailed(state, event.payload.callId);
  if (event.type !== "approval.resolved") return state;
  const p = event.payload;
  const request = state.requested[p.approvalId];
  if (!request) return state;
  const { approvalId, callId, toolId, preview, command } = request;
  const decided: DecidedApproval = {
    ...{ approvalId, callId, toolId, preview, command },
    question: request.kind === "gate" ? text(request.args, "message") : null,
    decidedAt: event.ts,
    decision: p.decision,
    hunks: p.hunks ?? null,
    edited: p.edited ?? {},
    ownCommand: p.command ?? null,
    reason: p.reason ?? "",
    resolvedBy: p.resolvedBy,
    superseded: false,
    failedCalls: [],
    seq: event.seq,
    takenBack: false,
  };
  return { ...state, decided: [decided, ...state.decided] };
}

/** A command's changes may have landed although it failed. */
function callFailed(state: DecidedState, callId: string): DecidedState {
  const isOf = (one: DecidedApproval) =>
    one.decision === "approve" &&
    state.requested[one.approvalId]?.kind === "tool" &&
    (one.callId === callId || one.preview?.hunks.some((hunk) => hunk.callId === callId));
  if (!state.decided.some(isOf)) return state;
  const decided = state.decided.map((one) =>
    isOf(one) ? { ...one, failedCalls: [...one.failedCalls, callId] } : one,
  );
  return { ...state, decided };
}

function filesRewound(state: DecidedState, event: EventOf<"session.rewound">): DecidedState {
  const rewinds = [...state.rewinds, { seq: event.seq, toSeq: event.payload.toSeq }];
  const decided = state.decided.map((one) => ({ ...one, takenBack: isTakenBack(rewinds, one.seq) }));
  return { ...state, decided, rewinds };
}
