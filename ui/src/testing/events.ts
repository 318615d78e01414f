/** Events for tests and scenes: each is whole, so that one has to say only what matters. Never part of a build. */
import type { EventKind, EventOf, PayloadOf } from "../protocol/events";
import type { Event, Usage } from "../protocol/generated";

/** As a provider tells it that says nothing. */
export const untoldUsage: Usage = {
  promptTokens: null,
  completionTokens: null,
  totalTokens: null,
  cachedTokens: null,
  costUsd: null,
};

const step = { step: "", idempotencyKey: "", attempt: 1 };
const restored = { checkpointId: "", lastSeq: 0 };

const blank: { readonly [Kind in EventKind]: PayloadOf<Kind> } = {
  "session.created": { title: "", project: "", agent: "arki" },
  "session.forked": { fromSession: "", fromSeq: 0 },
  "session.configured": {},
  "session.granted": { rules: [] },
  "session.rewound": { toSeq: 0, files: false, conversation: false },
  "trust.changed": { project: "", trusted: false, pins: [] },
  "message.queued": { messageId: "", text: "", mode: "follow_up" },
  "queue.changed": { queued: [] },
  "question.asked": { questionId: "", callId: "", text: "" },
  "question.answered": { questionId: "", text: "" },
  "run.started": {
    prompt: "",
    agent: "arki",
    model: "",
    core: "tool-loop",
    systemPromptHash: "",
    options: { approve: "ask", maxTurns: null, maxSeconds: null, maxCostUsd: null },
  },
  "subagent.started": { callId: "", agent: "", sessionId: "", runId: "" },
  "run.paused": { reason: "user" },
  "run.resumed": { reason: "user" },
  "run.completed": { response: "", turns: 1, usage: untoldUsage },
  "run.failed": { code: "", message: "", hint: "", retryable: false },
  "run.cancelled": { code: "", message: "", retryable: false },
  "engine.request": { turn: 1, provider: "", model: "", requestHash: "", messageCount: 1 },
  "engine.response": { turn: 1, finishReason: "stop", usage: untoldUsage, ttftMs: null, durationMs: 0 },
  "engine.retry": { turn: 1, code: "", delayMs: 0, attempt: 1 },
  "context.dropped": { eventId: "", part: "", reason: "" },
  "output.message": { turn: 1, role: "assistant", content: "", interrupted: false },
  "tool.call": { turn: 1, callId: "", toolId: "", args: {}, category: null },
  "policy.decided": { callId: "", decision: "allow", rule: "", reason: "", risk: "low" },
  "approval.requested": {
    approvalId: "",
    callId: "",
    toolId: "",
    args: {},
    risk: "low",
    rule: "",
    reason: "",
  },
  "approval.resolved": { approvalId: "", decision: "approve", resolvedBy: "window", previewHash: "" },
  "tool.result": { callId: "", toolId: "", result: "", isError: false, durationMs: 0, truncated: false },
  "tool.async_result": { asyncCallId: "", toolId: "", result: "", isError: false },
  "file.changed": { path: "", beforeHash: null, afterHash: null, callId: "", hunks: [] },
  "change.taken_back": { callId: "", seq: 0, changes: [] },
  "changes.committed": { commit: "0123456789", message: "", files: [] },
  "sandbox.cleaned_up": { notes: [] },
  "plan.proposed": { intent: "", steps: [] },
  "plan.updated": { intent: "", steps: [] },
  "checkpoint.created": { ...restored, files: 0, skipped: 0 },
  "state.snapshot": restored,
  "state.changed": {},
  "context.added": { part: "", origin: "", text: "" },
  "context.compacted": {
    strategy: "prune",
    tokensBefore: 0,
    tokensAfter: 0,
    targetTokens: 0,
    droppedSeqRange: [0, 0],
    summary: "",
  },
  "working_memory.snapshot": {
    checkpointId: "",
    lastSeq: 0,
    observations: [],
    reflections: [],
    goals: [],
    blockers: [],
  },
  "memory.observed": { observations: [] },
  "memory.reflected": { reflections: [] },
  "memory.reviewed": { id: "", decision: "accepted" },
  "hook.ran": { hook: "", command: "", exitCode: null, durationMs: 0 },
  "command.ended": {
    callId: "",
    result: {
      callId: "",
      toolId: "run_command",
      result: "",
      isError: false,
      durationMs: 0,
      truncated: false,
    },
    files: 1,
    effects: "",
  },
  "artifact.emitted": { artifactId: "", name: "", mediaType: "", bytes: 0, contentHash: "" },
  "step.started": step,
  "step.completed": { ...step, durationMs: 0, outputHash: "", outputBytes: 0 },
  "step.failed": { ...step, durationMs: 0, code: "", message: "" },
  "step.skipped": { ...step, durationMs: 0 },
};

/** Where an event stands, apart from what it says. */
export type Placed = Omit<EventOf<"unknown">, "type" | "kind" | "payload">;

export function eventOf<Kind extends EventKind>(
  placed: Placed,
  type: Kind,
  payload: Partial<PayloadOf<Kind>> = {},
): Event {
  // Kind and payload belong together, which the compiler cannot follow through the union.
  return { ...placed, type, payload: { ...blank[type], ...payload } } as Event;
}

const zero = "0".repeat(64);

/** Events of one session, numbered and timed as the engine would. */
export function eventLog(sessionId: string, start = Date.UTC(2026, 10, 21, 9, 30)) {
  const events: Event[] = [];
  let ts = start;
  const next = (runId: string | null, afterMs: number): Placed => {
    ts += afterMs;
    const seq = events.length + 1;
    const hash = `${seq}`.padStart(64, "a");
    return { eventId: `${sessionId}-${seq}`, runId, sessionId, seq, ts, prevHash: zero, hash };
  };
  const put = (event: Event) => {
    events.push(event);
    return event;
  };
  const ownRun = `run-${sessionId}`;
  const add = <Kind extends EventKind>(
    type: Kind,
    payload: Partial<PayloadOf<Kind>> = {},
    runId: string | null = ownRun,
    afterMs = 400,
  ) => put(eventOf(next(runId, afterMs), type, payload));
  /** One that a later version has written. */
  const addUnknown = (kind: string, payload: unknown) =>
    put({ ...next(ownRun, 400), type: "unknown", kind, payload });
  return { events, add, addUnknown };
}
