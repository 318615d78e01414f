/**
 * The conversation as the engine folds it from a session's events, for the engine in memory: the fold that ships is the
 * domain's (`domain/src/projection/conversation.rs`), and each of its cases holds this one to it.
 */
import { type ByKind, byKind, type PayloadOf } from "../protocol/events";
import type {
  ConversationStanding,
  Event,
  HookOutcome,
  HookRan,
  PausedFor,
  RestoredFile,
  ToolCategory,
} from "../protocol/generated";
import { hasFailed } from "../protocol/hooks";
import type { AssistantItem, Item, Notice, ToolItem, ToolState, UserItem } from "../protocol/items";
import { isTakenBack, type Rewind } from "../protocol/rewinds";
import { statesInTurn } from "./turns";

export type FoldedConversation = ConversationStanding & {
  items: Item[];
  /** Position of a tool call's item, so that a result finds its card without a search. */
  calls: Readonly<Record<string, number>>;
  /** The calls of the run that have no result yet, in the order in which they are carried out. */
  pending: readonly string[];
  /** Words that wait, by message: they are shown once the model was told. */
  queued: Readonly<Record<string, string>>;
  rewinds: readonly Rewind[];
};

export const nothingFolded: FoldedConversation = {
  items: [],
  turn: 0,
  stage: null,
  provider: null,
  lastPrompt: null,
  run: "none",
  pausedFor: null,
  calls: {},
  pending: [],
  queued: {},
  rewinds: [],
  retry: null,
  compacting: false,
};

export function foldTranscript(
  events: readonly Event[],
  from: FoldedConversation = nothingFolded,
): FoldedConversation {
  return events.reduce(conversationStep, from);
}

export function conversationStep(state: FoldedConversation, event: Event): FoldedConversation {
  const next = inTurn(byKind(steps, state, event) ?? state);
  if (!goesOn.has(event.type)) return next;
  const compacting = event.type === "engine.request" && event.payload.purpose === "compaction";
  return next.retry || next.compacting !== compacting ? { ...next, retry: null, compacting } : next;
}

/** The policy's first rule. */
const untrustedRule = "builtin:untrusted";

/** What comes next in a run whose request was sent again, or where a summary was being written. */
const goesOn: ReadonlySet<Event["type"]> = new Set([
  "engine.request",
  "engine.response",
  "context.compacted",
  "output.message",
  "run.started",
  "run.paused",
  "run.completed",
  "run.failed",
  "run.cancelled",
]);

const steps: ByKind<FoldedConversation, FoldedConversation> = {
  "run.started": (state, p, event) => ({
    ...append(state, {
      kind: "user",
      ...at(event),
      text: p.prompt,
      steered: false,
      isTask: Boolean(p.parent),
      pictures: p.options.images ?? [],
    }),
    lastPrompt: p.prompt,
    provider: p.model?.split("/")[0] ?? null,
    run: "running",
    pausedFor: null,
    pending: [],
    turn: 0,
    stage: null,
  }),
  "engine.request": (state, p) => ({
    ...state,
    turn: p.turn,
    stage: p.stage ?? null,
    provider: p.provider,
  }),
  "engine.retry": (state, p, event) => ({
    ...retried(state, event, { what: "retried", ...p }),
    retry: { at: event.ts + p.delayMs, code: p.code, attempt: p.attempt },
  }),
  "context.dropped": (state, p, event) => notice(state, event, { what: "left_out", ...p }),
  "output.message": assistant,
  "plan.proposed": planned,
  "message.queued": (state, p) => remember(state, p.messageId, p.text),
  "queue.changed": queueChanged,
  "question.asked": (state, p, event) => {
    const question = { questionId: p.questionId, text: p.text, options: p.options ?? [], answer: null };
    return patchCall(withCall(state, event, p), p.callId, { state: "waiting", question });
  },
  "question.answered": answered,
  "tool.call": (state, p, event) => addCall(withoutCallText(state, event), event, p),
  "policy.decided": (state, p) => {
    const why = { reason: p.reason || p.rule, ...(p.sentences && { sentences: p.sentences }) };
    const denied = { state: "denied" as const, ...why, lacksTrust: p.rule === untrustedRule };
    return patchCall(state, p.callId, p.decision === "deny" ? denied : why);
  },
  "subagent.started": (state, p, event) => {
    const subagent = { agent: p.agent, sessionId: p.sessionId };
    return patchCall(withCall(state, event, { callId: p.callId }), p.callId, { subagent });
  },
  "approval.requested": (state, { callId, toolId, args, approvalId, reason, sentences }, event) =>
    callId === null
      ? state
      : patchCall(withCall(state, event, { callId, toolId, args }), callId, {
          state: "waiting",
          approvalId,
          ...(reason ? { reason, ...(sentences && { sentences }) } : {}),
        }),
  "approval.resolved": resolveCall,
  "command.ended": (state, { callId, result }, event) =>
    patchCall(withCall(state, event, { callId, toolId: result.toolId }), callId, {
      result: result.result,
      styles: result.styles,
    }),
  "tool.result": toolResult,
  "tool.async_result": lateResult,
  "file.changed": (state, p) => {
    const call = callItem(state, p.callId);
    if (!call) return state;
    return patchCall(state, call.callId, { files: [...call.files, p.path], changes: [...call.changes, p] });
  },
  "run.paused": (state, p) => ({
    ...(p.reason === "plan" ? withCallsOfPlan(state, ["running", "queued"], "waiting") : state),
    run: "paused",
    pausedFor: p.questionId ? "question" : p.reason,
  }),
  "run.resumed": (state, p) => ({
    ...(p.reason === "plan" ? withCallsOfPlan(state, ["waiting"], "running") : state),
    run: "running",
    pausedFor: null,
  }),
  "run.completed": (state) => end(state, "done"),
  "run.cancelled": (state, _p, event) => notice(end(state, "interrupted"), event, { what: "stopped" }),
  "run.failed": (state, p, event) =>
    append(end(state, "failed"), {
      kind: "failure",
      ...at(event),
      code: p.code,
      message: p.message,
      hint: p.hint,
      retryable: p.retryable,
      provider: state.provider,
    }),
  "context.compacted": compacted,
  "session.rewound": rewound,
  "session.forked": (state, p, event) =>
    append(state, { kind: "forked", ...at(event), fromSession: p.fromSession, fromSeq: p.fromSeq }),
  "change.taken_back": (state, p, event) =>
    notice(state, event, { what: "reverted", paths: writtenPaths(p.changes), ...p }),
  "hook.ran": hookRan,
  "sandbox.cleaned_up": (state, p, event) => notice(state, event, { what: "cleaned_up", ...p }),
};

function at(event: Event) {
  return { key: event.eventId, seq: event.seq, ts: event.ts };
}

function append(state: FoldedConversation, item: Item): FoldedConversation {
  return { ...state, items: [...state.items, item] };
}

/** Attempts in a row are one line: the last of them. */
function retried(state: FoldedConversation, event: Event, retry: Notice): FoldedConversation {
  const last = state.items.at(-1);
  if (last?.kind !== "notice" || last.notice.what !== "retried") return notice(state, event, retry);
  return { ...state, items: [...state.items.slice(0, -1), { ...last, notice: retry }] };
}

function notice(state: FoldedConversation, event: Event, notice: Notice): FoldedConversation {
  return append(state, { kind: "notice", ...at(event), notice });
}

function remember(state: FoldedConversation, messageId: string, words: string): FoldedConversation {
  return { ...state, queued: { ...state.queued, [messageId]: words } };
}

/** What the model was told by it is shown as said; edits are remembered until then. */
function queueChanged(
  state: FoldedConversation,
  { queued, delivered = [] }: PayloadOf<"queue.changed">,
  event: Event,
): FoldedConversation {
  const told = delivered.reduce((now, messageId) => {
    const words = state.queued[messageId];
    if (words === undefined) return notice(now, event, { what: "unknown_words" });
    const key = `${event.eventId} ${messageId}`;
    return append(now, {
      kind: "user",
      ...at(event),
      key,
      text: words,
      steered: true,
      isTask: false,
      pictures: [],
    });
  }, state);
  return queued.reduce<FoldedConversation>(
    (now, { messageId, text }) => (typeof text === "string" ? remember(now, messageId, text) : now),
    told,
  );
}

function compacted(
  state: FoldedConversation,
  p: PayloadOf<"context.compacted">,
  event: Event,
): FoldedConversation {
  const { strategy, tokensBefore, tokensAfter, summary, prunedCalls = [] } = p;
  const sizes = { strategy, tokensBefore, tokensAfter };
  return append(state, { kind: "compacted", ...at(event), ...sizes, summary, results: prunedCalls.length });
}

function rewound(
  state: FoldedConversation,
  p: PayloadOf<"session.rewound">,
  event: Event,
): FoldedConversation {
  const { toSeq, conversation, files, changes = [] } = p;
  const rewinds = conversation ? [...state.rewinds, { seq: event.seq, toSeq }] : state.rewinds;
  const items = state.items.map((item) => {
    const takenBack = isTakenBack(rewinds, item.seq);
    return takenBack === (item.takenBack ?? false) ? item : { ...item, takenBack };
  });
  const gone = items.filter((item, place) => item.takenBack && !state.items[place]?.takenBack);
  const prompts = items.filter((item) => item.kind === "user" && !item.takenBack) as UserItem[];
  const then: FoldedConversation = conversation
    ? {
        ...state,
        items,
        rewinds,
        lastPrompt: prompts.at(-1)?.text ?? null,
        run: "ended",
        pausedFor: null,
        pending: [],
      }
    : state;
  return append(then, {
    kind: "rewound",
    ...at(event),
    toSeq,
    files,
    conversation,
    messages: gone.filter((item) => item.kind === "user" || item.kind === "assistant").length,
    restored: writtenPaths(changes).length,
    changes,
  });
}

/** The files that going back wrote or deleted. */
function writtenPaths(changes: readonly RestoredFile[]): string[] {
  const written = changes.filter((one) => one.action === "restore" || one.action === "delete");
  return written.map((one) => one.path);
}

function assistant(
  state: FoldedConversation,
  p: PayloadOf<"output.message">,
  event: Event,
): FoldedConversation {
  const { turn, content, interrupted } = p;
  const thoughts = p.thoughts ?? "";
  // A turn of tool calls alone has an empty message; a heading over nothing would only add noise.
  if (content === "" && thoughts === "" && !interrupted) return state;
  // The answer that takes its place follows; a notice says why.
  if (p.retried) return state;
  return append(state, {
    kind: "assistant",
    ...at(event),
    runId: event.runId,
    turn,
    text: content,
    thoughts,
    interrupted,
  });
}

/** The plan is told in words, in the place of the text that it was read from. */
function planned(state: FoldedConversation, p: PayloadOf<"plan.proposed">, event: Event): FoldedConversation {
  return notice(withoutText(state, event), event, { what: "planned", ...p });
}

/** Calls that a core read off the model's text are shown as calls, not as that text too. */
function withoutCallText(state: FoldedConversation, event: Event): FoldedConversation {
  const said = textOfTurn(state, event);
  if (said === null || state.stage === null) return state;
  const text = said.text.trim();
  const isOnlyCalls = state.stage === "execute" || (/^(\{|```|<think)/.test(text) && /(\}|```)$/.test(text));
  return isOnlyCalls ? withoutText(state, event) : state;
}

/** Without the text of this turn; the thoughts stay. */
function withoutText(state: FoldedConversation, event: Event): FoldedConversation {
  const said = textOfTurn(state, event);
  if (said === null) return state;
  const before = state.items.slice(0, -1);
  return { ...state, items: said.thoughts === "" ? before : [...before, { ...said, text: "" }] };
}

function textOfTurn(state: FoldedConversation, event: Event): AssistantItem | null {
  const last = state.items.at(-1);
  return last?.kind === "assistant" && last.runId === event.runId && last.turn === state.turn ? last : null;
}

/** The calls of a plan wait for the user together with it. */
function withCallsOfPlan(
  state: FoldedConversation,
  from: readonly ToolState[],
  to: ToolState,
): FoldedConversation {
  const isIts = (call: ToolItem) =>
    from.includes(call.state) && call.approvalId === null && call.question === null;
  const items = state.items.map((item) =>
    item.kind === "tool" && isIts(item) ? { ...item, state: to } : item,
  );
  return { ...state, items };
}

/** What an event says of a call: those after the first may leave out what it is. */
type Call = { callId: string; toolId?: string; args?: unknown; category?: ToolCategory | null };

function addCall(state: FoldedConversation, event: Event, call: Call): FoldedConversation {
  const { callId, toolId = "tool", args, category = null } = call;
  const item: ToolItem = {
    kind: "tool",
    ...at(event),
    runId: event.runId,
    callId,
    toolId,
    category,
    args: args ?? {},
    state: "running",
    approvalId: null,
    reason: "",
    lacksTrust: false,
    result: null,
    durationMs: null,
    truncated: false,
    elicitations: [],
    files: [],
    changes: [],
    question: null,
    subagent: null,
    hooks: [],
  };
  return {
    ...append(state, item),
    calls: { ...state.calls, [callId]: state.items.length },
    pending: [...state.pending, callId],
  };
}

/** A pause between two calls. Of any other reason, a call waits for the user or may be at work. */
const restingPauses: ReadonlySet<PausedFor | null> = new Set(["user", "budget"]);

/** Says of each call without a result whether it is at work or waits for its turn. */
function inTurn(state: FoldedConversation): FoldedConversation {
  if (state.pending.length === 0) return state;
  const calls = state.pending.flatMap((callId) => callItem(state, callId) ?? []);
  const rests = state.run === "paused" && restingPauses.has(state.pausedFor);
  const states = statesInTurn(calls, rests);
  return calls.reduce((now, call, place) => {
    const next = states[place] ?? call.state;
    return next === call.state ? now : patchCall(now, call.callId, { state: next });
  }, state);
}

/** Results and approvals of calls that lie before the window's first event get a card of their own. */
function withCall(state: FoldedConversation, event: Event, call: Call): FoldedConversation {
  return callItem(state, call.callId) ? state : addCall(state, event, call);
}

function callItem(state: FoldedConversation, callId: string): ToolItem | null {
  const index = state.calls[callId];
  const item = index === undefined ? undefined : state.items[index];
  return item?.kind === "tool" ? item : null;
}

function patchCall(state: FoldedConversation, callId: string, patch: Partial<ToolItem>): FoldedConversation {
  const item = callItem(state, callId);
  const index = state.calls[callId];
  if (!item || index === undefined) return state;
  return { ...state, items: state.items.with(index, { ...item, ...patch }) };
}

function resolveCall(state: FoldedConversation, p: PayloadOf<"approval.resolved">): FoldedConversation {
  const { approvalId, decision } = p;
  const item = state.items.findLast((i) => i.kind === "tool" && i.approvalId === approvalId);
  if (item?.kind !== "tool") return state;
  return patchCall(state, item.callId, { state: decision === "reject" ? "rejected" : "running" });
}

function answered(
  state: FoldedConversation,
  { questionId, text }: PayloadOf<"question.answered">,
): FoldedConversation {
  const item = state.items.findLast((i) => i.kind === "tool" && i.question?.questionId === questionId);
  if (item?.kind !== "tool" || !item.question) return state;
  const question = { ...item.question, answer: text };
  return patchCall(state, item.callId, { state: "running", question });
}

function toolResult(
  state: FoldedConversation,
  p: PayloadOf<"tool.result">,
  event: Event,
): FoldedConversation {
  const found = withCall(state, event, p);
  const known = { ...found, pending: found.pending.filter((callId) => callId !== p.callId) };
  const item = callItem(known, p.callId);
  if (!item) return known;
  // A placeholder: the sub-agent works on in the background.
  if (p.asyncCallId && item.subagent) return known;
  const refused = item.state === "rejected" || item.state === "denied";
  return patchCall(known, item.callId, {
    state: refused ? item.state : p.isError ? "failed" : "done",
    result: p.result,
    styles: p.styles,
    durationMs: p.durationMs,
    truncated: p.truncated,
    elicitations: p.elicitations ?? [],
  });
}

/** Told by the card of its call; where there is none, in a line of its own. */
function hookRan(state: FoldedConversation, ran: PayloadOf<"hook.ran">, event: Event): FoldedConversation {
  if (!ran.callId) return isToldAlone(ran) ? append(state, { kind: "hook", ...at(event), ran }) : state;
  const call = isToldOfCall(ran) ? callItem(state, ran.callId) : null;
  return call ? patchCall(state, call.callId, { hooks: [...call.hooks, ran] }) : state;
}

/** Of a sub-agent in the background, on the card of its call. */
function lateResult(state: FoldedConversation, p: PayloadOf<"tool.async_result">): FoldedConversation {
  const item = callItem(state, p.asyncCallId);
  if (!item?.subagent) return state;
  return patchCall(state, item.callId, { state: p.isError ? "failed" : "done", result: p.result });
}

const unfinished: ReadonlySet<ToolState> = new Set(["queued", "running", "waiting"]);

/** When a run ends, a call without a result did not finish; its card must not say "running" for ever. */
function end(state: FoldedConversation, _as: "done" | "failed" | "interrupted"): FoldedConversation {
  const items = state.items.map((item) =>
    item.kind === "tool" && unfinished.has(item.state) ? { ...item, state: "interrupted" as const } : item,
  );
  return { ...state, items, run: "ended", pausedFor: null, pending: [] };
}

const objections: ReadonlySet<HookOutcome> = new Set(["blocked", "asked", "stopped", "off"]);

/** Told on the card of the call that it ran for. */
function isToldOfCall(ran: HookRan): boolean {
  return hasFailed(ran) || (ran.outcome ? objections.has(ran.outcome) : false);
}

/**
 * Told in a line of its own. A hook that blocks a run's prompt or stops the run is told by the run's failure; one that
 * holds the run, or keeps a queued message back, by nothing else.
 */
function isToldAlone(ran: HookRan): boolean {
  const holds = ran.event === "Stop" || Boolean(ran.messageId);
  return hasFailed(ran) || ran.outcome === "off" || (ran.outcome === "blocked" && holds);
}
