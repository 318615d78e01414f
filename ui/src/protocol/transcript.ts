/**
 * The transcript: what is said and done, folded from a session's events in order. A pure reducer, so a
 * live event costs one step and a page fetched from the log is folded the same way. It never assumes that
 * the window of events starts at the session's beginning: a result whose call was cut off still shows.
 */
import type { Event } from "./generated";
import type { Item, NoticeItem, ToolItem, UserItem } from "./items";
import { readQuestion } from "./questions";
import { flag, isRecord, type Json, list, maybeNumber, maybeText, payloadOf, strings, text } from "./read";
import { isTakenBack, type Rewind } from "./rewinds";

export type * from "./items";

export type Transcript = {
  items: Item[];
  /** The number of the model's turn that is under way or was last. */
  turn: number;
  lastPrompt: string | null;
  /** The run's state as far as these events tell. */
  run: "none" | "running" | "paused" | "ended";
  pausedFor: string | null;
  /** Position of a tool call's item, so that a result finds its card without a search. */
  calls: Readonly<Record<string, number>>;
  /** Words that wait, by message: they are shown once the model was told. */
  queued: Readonly<Record<string, string>>;
  rewinds: readonly Rewind[];
  /** The request failed, and is sent again at that time (in ms since 1970). */
  retry: { at: number; code: string; attempt: number } | null;
};

export const emptyTranscript: Transcript = {
  items: [],
  turn: 0,
  lastPrompt: null,
  run: "none",
  pausedFor: null,
  calls: {},
  queued: {},
  rewinds: [],
  retry: null,
};

export function foldTranscript(events: readonly Event[], from: Transcript = emptyTranscript): Transcript {
  return events.reduce(transcriptStep, from);
}

export function transcriptStep(state: Transcript, event: Event): Transcript {
  const step = steps[event.type];
  const next = step ? step(state, event, payloadOf(event)) : state;
  return endsRetry.has(event.type) && next.retry ? { ...next, retry: null } : next;
}

/** What comes next in a run whose request was sent again. */
const endsRetry: ReadonlySet<string> = new Set([
  "engine.request",
  "engine.response",
  "output.message",
  "run.started",
  "run.paused",
  "run.completed",
  "run.failed",
  "run.cancelled",
]);

type Step = (state: Transcript, event: Event, payload: Json) => Transcript;

const steps: Readonly<Record<string, Step | undefined>> = {
  "run.started": (state, event, p) => ({
    ...append(state, {
      kind: "user",
      ...at(event),
      text: text(p, "prompt"),
      steered: false,
      isTask: isRecord(p.parent),
    }),
    lastPrompt: text(p, "prompt"),
    run: "running",
    pausedFor: null,
    turn: 0,
  }),
  "engine.request": (state, _event, p) => ({ ...state, turn: maybeNumber(p, "turn") ?? state.turn + 1 }),
  "engine.retry": (state, event, p) => ({
    ...notice(state, event, retryWords(p)),
    retry: {
      at: event.ts + (maybeNumber(p, "delayMs") ?? 0),
      code: text(p, "code"),
      attempt: maybeNumber(p, "attempt") ?? 1,
    },
  }),
  "output.message": assistant,
  "message.queued": (state, _event, p) => remember(state, text(p, "messageId"), text(p, "text")),
  "queue.changed": queueChanged,
  "question.asked": (state, event, p) => {
    const asked = readQuestion(event);
    if (!asked) return state;
    const { questionId, text, options } = asked;
    const question = { questionId, text, options, answer: null };
    return patchCall(withCall(state, event, p), asked.callId, { state: "waiting", question });
  },
  "question.answered": answered,
  "tool.call": toolCall,
  "policy.decided": (state, _event, p) => {
    const reason = text(p, "reason") || text(p, "rule");
    const denied = text(p, "decision") === "deny";
    return patchCall(state, text(p, "callId"), denied ? { state: "denied", reason } : { reason });
  },
  "subagent.started": (state, event, p) => {
    const subagent = { agent: text(p, "agent"), sessionId: text(p, "sessionId") };
    return patchCall(withCall(state, event, p), text(p, "callId"), { subagent });
  },
  "approval.requested": (state, event, p) => {
    const known = withCall(state, event, p);
    const reason = text(p, "reason");
    return patchCall(known, text(p, "callId"), {
      state: "waiting",
      approvalId: text(p, "approvalId"),
      ...(reason ? { reason } : {}),
    });
  },
  "approval.resolved": (state, _event, p) => resolveCall(state, p),
  "tool.result": toolResult,
  "file.changed": (state, _event, p) => {
    const call = callItem(state, text(p, "callId"));
    const path = text(p, "path");
    return call && path ? patchCall(state, call.callId, { files: [...call.files, path] }) : state;
  },
  "run.paused": (state, _event, p) => {
    const pausedFor = maybeText(p, "questionId") === null ? text(p, "reason") : "question";
    return { ...state, run: "paused", pausedFor };
  },
  "run.resumed": (state) => ({ ...state, run: "running", pausedFor: null }),
  "run.completed": (state) => end(state, "done"),
  "run.cancelled": (state, event) => notice(end(state, "interrupted"), event, "Stopped by you"),
  "run.failed": (state, event, p) =>
    append(end(state, "failed"), {
      kind: "failure",
      ...at(event),
      code: text(p, "code", "UNKNOWN"),
      message: text(p, "message", "The run failed."),
      hint: text(p, "hint"),
      retryable: flag(p, "retryable"),
    }),
  "context.compacted": (state, event, p) => {
    const before = maybeNumber(p, "tokensBefore");
    const after = maybeNumber(p, "tokensAfter");
    const sizes = before !== null && after !== null ? `: ${before} → ${after} tokens` : "";
    return notice(state, event, `Earlier messages were summarised${sizes}`);
  },
  "session.rewound": rewound,
  "session.forked": (state, event, p) =>
    append(state, {
      kind: "forked",
      ...at(event),
      fromSession: text(p, "fromSession"),
      fromSeq: maybeNumber(p, "fromSeq") ?? 0,
    }),
  "change.taken_back": (state, event, p) => {
    const paths = writtenPaths(p);
    return notice(state, event, `You took back a change of ${paths.join(", ") || "a file"}`);
  },
  "sandbox.cleaned_up": (state, event, p) =>
    notice(state, event, strings(list(p, "notes")).join(" "), "attention"),
};

function at(event: Event) {
  return { key: event.eventId, seq: event.seq, ts: event.ts };
}

function append(state: Transcript, item: Item): Transcript {
  return { ...state, items: [...state.items, item] };
}

function notice(
  state: Transcript,
  event: Event,
  words: string,
  tone: NoticeItem["tone"] = "quiet",
): Transcript {
  return append(state, { kind: "notice", ...at(event), tone, text: words });
}

function remember(state: Transcript, messageId: string, words: string): Transcript {
  return { ...state, queued: { ...state.queued, [messageId]: words } };
}

/** What the model was told by it is shown as said; edits are remembered until then. */
function queueChanged(state: Transcript, event: Event, p: Json): Transcript {
  const told = strings(list(p, "delivered")).reduce((now, messageId) => {
    const words = state.queued[messageId];
    if (words === undefined) return notice(now, event, "You said something here while Arki worked");
    const key = `${event.eventId} ${messageId}`;
    return append(now, { kind: "user", ...at(event), key, text: words, steered: true, isTask: false });
  }, state);
  const edits = list(p, "queued").filter(isRecord);
  return edits.reduce<Transcript>((now, entry) => {
    const words = maybeText(entry, "text");
    return words === null ? now : remember(now, text(entry, "messageId"), words);
  }, told);
}

function rewound(state: Transcript, event: Event, p: Json): Transcript {
  const toSeq = maybeNumber(p, "toSeq") ?? event.seq;
  const conversation = flag(p, "conversation");
  const rewinds = conversation ? [...state.rewinds, { seq: event.seq, toSeq }] : state.rewinds;
  const items = state.items.map((item) => {
    const takenBack = isTakenBack(rewinds, item.seq);
    return takenBack === (item.takenBack ?? false) ? item : { ...item, takenBack };
  });
  const gone = items.filter((item, place) => item.takenBack && !state.items[place]?.takenBack);
  const prompts = items.filter((item) => item.kind === "user" && !item.takenBack) as UserItem[];
  const then: Transcript = conversation
    ? { ...state, items, rewinds, lastPrompt: prompts.at(-1)?.text ?? null, run: "ended", pausedFor: null }
    : state;
  return append(then, {
    kind: "rewound",
    ...at(event),
    toSeq,
    files: flag(p, "files"),
    conversation,
    messages: gone.filter((item) => item.kind === "user" || item.kind === "assistant").length,
    restored: writtenPaths(p).length,
  });
}

/** The files that going back wrote or deleted. */
function writtenPaths(p: Json): string[] {
  const changes = list(p, "changes").filter(isRecord);
  const written = changes.filter(
    (one) => text(one, "action") === "restore" || text(one, "action") === "delete",
  );
  return written.map((one) => text(one, "path"));
}

function assistant(state: Transcript, event: Event, p: Json): Transcript {
  if (text(p, "role", "assistant") !== "assistant") return state;
  const content = text(p, "content");
  const thoughts = text(p, "thoughts");
  // A turn of tool calls alone has an empty message; a heading over nothing would only add noise.
  if (content === "" && thoughts === "" && !flag(p, "interrupted")) return state;
  return append(state, {
    kind: "assistant",
    ...at(event),
    runId: event.runId,
    turn: maybeNumber(p, "turn") ?? state.turn,
    text: content,
    thoughts,
    interrupted: flag(p, "interrupted"),
  });
}

function toolCall(state: Transcript, event: Event, p: Json): Transcript {
  const callId = text(p, "callId", event.eventId);
  const item: ToolItem = {
    kind: "tool",
    ...at(event),
    runId: event.runId,
    callId,
    toolId: text(p, "toolId", "tool"),
    args: p.args ?? {},
    state: "running",
    approvalId: null,
    reason: "",
    result: null,
    durationMs: null,
    truncated: false,
    elicitations: [],
    files: [],
    question: null,
    subagent: null,
  };
  return { ...append(state, item), calls: { ...state.calls, [callId]: state.items.length } };
}

/** Results and approvals of calls that lie before the window's first event get a card of their own. */
function withCall(state: Transcript, event: Event, p: Json): Transcript {
  return callItem(state, text(p, "callId")) ? state : toolCall(state, event, p);
}

function callItem(state: Transcript, callId: string): ToolItem | null {
  const index = state.calls[callId];
  const item = index === undefined ? undefined : state.items[index];
  return item?.kind === "tool" ? item : null;
}

function patchCall(state: Transcript, callId: string, patch: Partial<ToolItem>): Transcript {
  const item = callItem(state, callId);
  const index = state.calls[callId];
  if (!item || index === undefined) return state;
  return { ...state, items: state.items.with(index, { ...item, ...patch }) };
}

function resolveCall(state: Transcript, p: Json): Transcript {
  const approvalId = text(p, "approvalId");
  const item = state.items.findLast((i) => i.kind === "tool" && i.approvalId === approvalId);
  if (item?.kind !== "tool") return state;
  return patchCall(state, item.callId, { state: text(p, "decision") === "reject" ? "rejected" : "running" });
}

function answered(state: Transcript, _event: Event, p: Json): Transcript {
  const questionId = text(p, "questionId");
  const item = state.items.findLast((i) => i.kind === "tool" && i.question?.questionId === questionId);
  if (item?.kind !== "tool" || !item.question) return state;
  const question = { ...item.question, answer: text(p, "text") };
  return patchCall(state, item.callId, { state: "running", question });
}

function toolResult(state: Transcript, event: Event, p: Json): Transcript {
  const known = withCall(state, event, p);
  const item = callItem(known, text(p, "callId"));
  if (!item) return known;
  const refused = item.state === "rejected" || item.state === "denied";
  return patchCall(known, item.callId, {
    state: refused ? item.state : flag(p, "isError") ? "failed" : "done",
    result: p.result ?? null,
    durationMs: maybeNumber(p, "durationMs"),
    truncated: flag(p, "truncated"),
    elicitations: list(p, "elicitations"),
  });
}

/** When a run ends, a call without a result did not finish; its card must not say "running" for ever. */
function end(state: Transcript, _as: "done" | "failed" | "interrupted"): Transcript {
  const items = state.items.map((item) =>
    item.kind === "tool" && (item.state === "running" || item.state === "waiting")
      ? { ...item, state: "interrupted" as const }
      : item,
  );
  return { ...state, items, run: "ended", pausedFor: null };
}

/** In no tense: it stands there while the wait lasts and ever after. */
function retryWords(p: Json): string {
  const delay = maybeNumber(p, "delayMs");
  const wait = delay === null ? "" : ` after ${Math.max(1, Math.round(delay / 1000))} s`;
  const attempt = maybeNumber(p, "attempt");
  const code = maybeText(p, "code");
  return `Attempt ${attempt ?? "again"}${wait}${code ? ` (${code})` : ""}`;
}
