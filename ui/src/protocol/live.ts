/**
 * What is arriving right now and is not in the log yet: the answer in progress and the output of running
 * commands. Bounded; dropped as soon as the authoritative event comes. Pure.
 */
import { endsRun, type PayloadOf } from "./events";
import type { CommandOutput, Event, Frame, OutputDelta, PartialAnswer } from "./generated";
import { GrowingText } from "./growing";

/** A command may print for ever; the card shows the end of it. */
export const maxOutputChars = 48 * 1024;

/** Its texts grow in place, and tell who draws them; it is another object only when something else of it changes. */
export type LiveAnswer = {
  runId: string;
  turn: number;
  text: GrowingText;
  thoughts: GrowingText;
  /** Which of them has begun. */
  thinks: boolean;
  speaks: boolean;
  thinkingSince: number | null;
  thoughtMs: number | null;
  /** Just fetched: the next delta may bring again what it ends with. */
  fetched: boolean;
};

export type Live = {
  answer: LiveAnswer | null;
  /** Answers that streamed in to their end, by "runId:turn": the same words as stored, drawn already. */
  told: Readonly<Record<string, LiveAnswer>>;
  output: Readonly<Record<string, string>>;
  /** The files that running commands have changed in their views so far, by call. */
  changed: Readonly<Record<string, readonly string[]>>;
  /** How long the model thought, by "runId:turn", where this window saw it happen. */
  thoughtMs: Readonly<Record<string, number>>;
  /** The turn in progress, and the last one (or run) that ended: a frame may carry deltas of an ended turn. */
  turn: number;
  ended: string | null;
  /** The model is writing a call, of which nothing can be shown yet. */
  callGrows: boolean;
};

export const nothingLive: Live = {
  answer: null,
  told: {},
  output: {},
  changed: {},
  thoughtMs: {},
  turn: 0,
  ended: null,
  callGrows: false,
};

export const turnKey = (runId: string | null, turn: number) => `${runId ?? ""}:${turn}`;

const begun = (runId: string, turn: number): LiveAnswer => ({
  runId,
  turn,
  text: new GrowingText(),
  thoughts: new GrowingText(),
  thinks: false,
  speaks: false,
  thinkingSince: null,
  thoughtMs: null,
  fetched: false,
});

/**
 * A frame doesn't say whether its words came before its events or after: those of a turn or a command that ends in it
 * came before that, all others after.
 */
export function liveFrameStep(live: Live, sessionId: string, frame: Frame, now: number): Live {
  let next = live;
  let deltas = frame.deltas.filter((delta) => delta.sessionId === sessionId);
  for (const event of frame.events) {
    if (event.sessionId !== sessionId) continue;
    if (event.type === "output.message") {
      const key = turnKey(event.runId, event.payload.turn);
      const isLast = (delta: OutputDelta) => turnKey(delta.runId, delta.turn) === key;
      for (const delta of deltas.filter(isLast)) next = deltaStep(next, delta, now);
      deltas = deltas.filter((delta) => !isLast(delta));
    }
    next = liveEventStep(next, event);
  }
  for (const delta of deltas) next = deltaStep(next, delta, now);
  const done = new Set(frame.events.map((event) => endsCall(event) && event.payload.callId));
  for (const output of frame.commandOutput) {
    if (output.sessionId === sessionId && !done.has(output.callId)) next = outputStep(next, output);
  }
  // Its end, if that is in the same frame, came after it.
  const grows = frame.callsGrow.includes(sessionId) && next === live;
  return grows && !next.callGrows ? { ...next, callGrows: true } : next;
}

/** The same object while only the text grows. */
export function deltaStep(live: Live, delta: OutputDelta, now: number): Live {
  if (live.ended === turnKey(delta.runId, delta.turn) || live.ended === delta.runId) return live;
  const same = live.answer?.runId === delta.runId && live.answer.turn === delta.turn;
  const answer = same && live.answer ? live.answer : begun(delta.runId, delta.turn);
  // A core's own words, such as a plan in JSON, are not for the user.
  const thinks = delta.tokenType === "LLM_THINKING" || delta.tokenType === "AGENT_THOUGHT_LLM_RESPONSE";
  const grows = thinks ? answer.thoughts : answer.text;
  grows.append(answer.fetched ? fresh(grows.whole(), delta.text) : delta.text);
  if (thinks) {
    if (answer === live.answer && answer.thinks && !answer.fetched) return live;
    const thinkingSince = answer.thinkingSince ?? now;
    return { ...live, answer: { ...answer, thinks, thinkingSince, fetched: false } };
  }
  if (answer === live.answer && answer.speaks && !answer.fetched) return live;
  const thoughtMs =
    answer.thoughtMs ?? (answer.thinkingSince === null ? null : Math.max(0, now - answer.thinkingSince));
  const next = { ...live, answer: { ...answer, speaks: true, fetched: false, thoughtMs } };
  if (thoughtMs === null) return next;
  return { ...next, thoughtMs: { ...live.thoughtMs, [turnKey(delta.runId, delta.turn)]: thoughtMs } };
}

export function outputStep(live: Live, output: CommandOutput): Live {
  const { callId, changed } = output;
  const next = changed.length > 0 ? { ...live, changed: { ...live.changed, [callId]: changed } } : live;
  if (output.text === "") return next;
  const all = (live.output[callId] ?? "") + output.text;
  return { ...next, output: { ...live.output, [callId]: all.slice(-maxOutputChars) } };
}

type CallEnd = Extract<Event, { type: "tool.result" | "command.ended" }>;

const endsCall = (event: Event): event is CallEnd =>
  event.type === "tool.result" || event.type === "command.ended";

/** Stored events are authoritative: the finished message replaces the streamed one. */
export function liveEventStep(live: Live, event: Event): Live {
  if (event.type === "run.started") return { ...live, answer: null, turn: 0, ended: null };
  if (event.type === "engine.request") return { ...live, turn: event.payload.turn, callGrows: false };
  if (event.type === "engine.retry") return { ...live, answer: null, callGrows: false };
  // The same turn streams in anew.
  if (event.type === "output.message" && event.payload.retried) return { ...live, answer: null };
  if (event.type === "output.message") {
    const { turn } = event.payload;
    const key = turnKey(event.runId, turn);
    const { answer } = live;
    const isTold = answer?.runId === event.runId && answer.turn === turn && completed(answer, event.payload);
    return {
      ...live,
      answer: null,
      callGrows: false,
      told: isTold ? remembered(live.told, key, answer) : live.told,
      ended: key,
    };
  }
  if (endsRun.has(event.type)) return { ...live, answer: null, callGrows: false, ended: event.runId };
  if (!endsCall(event)) return live;
  const { callId } = event.payload;
  if (!(callId in live.output || callId in live.changed)) return live;
  const { [callId]: _done, ...output } = live.output;
  const { [callId]: _landed, ...changed } = live.changed;
  return { ...live, output, changed };
}

/** What is long gone from sight may be drawn anew, from what is stored. */
const toldAnswers = 20;

function remembered(told: Live["told"], key: string, answer: LiveAnswer): Live["told"] {
  const others = Object.entries(told).slice(1 - toldAnswers);
  return Object.fromEntries([...others, [key, answer]]);
}

/** Adds what is stored and did not stream in; false where what streamed in is not how that begins. */
function completed(answer: LiveAnswer, { content, thoughts }: PayloadOf<"output.message">): boolean {
  const stored = [
    [answer.thoughts, thoughts ?? ""],
    [answer.text, content],
  ] as const;
  if (!stored.every(([told, whole]) => whole.startsWith(told.whole()))) return false;
  for (const [told, whole] of stored) told.append(whole.slice(told.length));
  return true;
}

/** Joins the answer the engine kept with the deltas that came while it was being fetched. */
export function withPartial(live: Live, partial: PartialAnswer | null): Live {
  if (partial === null || live.ended === partial.runId) return live;
  // It was stored while it was being fetched.
  if (live.ended === turnKey(partial.runId, partial.turn)) return live;
  const seen = live.answer?.runId === partial.runId && live.answer.turn === partial.turn ? live.answer : null;
  const joined = (kept: string, heard: GrowingText | undefined) => {
    const text = new GrowingText(kept);
    text.append(fresh(kept, heard?.whole() ?? ""));
    return text;
  };
  const answer = {
    ...begun(partial.runId, partial.turn),
    text: joined(partial.text, seen?.text),
    thoughts: joined(partial.thoughts, seen?.thoughts),
    thinkingSince: seen?.thinkingSince ?? null,
    thoughtMs: seen?.thoughtMs ?? null,
    fetched: true,
  };
  return {
    ...live,
    answer: { ...answer, speaks: answer.text.length > 0, thinks: answer.thoughts.length > 0 },
  };
}

/** More than ever comes while a page is fetched. */
const longestOverlap = 64 * 1024;

/** What `after` has beyond its beginning that `before` ends with. */
export function fresh(before: string, after: string): string {
  const end = before.slice(-longestOverlap);
  for (let size = Math.min(end.length, after.length); size > 0; size -= 1) {
    if (end.endsWith(after.slice(0, size))) return after.slice(size);
  }
  return after;
}
