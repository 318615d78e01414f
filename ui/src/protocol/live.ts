/**
 * What is arriving right now and is not in the log yet: the answer under way and the output of running
 * commands. Bounded; dropped as soon as the authoritative event comes. Pure.
 */
import type { CommandOutput, Event, OutputDelta, PartialAnswer } from "./generated";
import { maybeNumber, payloadOf, text } from "./read";

/** A command may print for ever; the card shows the end of it. */
export const maxOutputChars = 48 * 1024;

export type LiveAnswer = {
  runId: string;
  turn: number;
  text: string;
  thoughts: string;
  thinkingSince: number | null;
  thoughtMs: number | null;
  /** Just fetched: the next delta may bring again what it ends with. */
  fetched?: boolean;
};

export type Live = {
  answer: LiveAnswer | null;
  output: Readonly<Record<string, string>>;
  /** How long the model thought, by "runId:turn", where this window saw it happen. */
  thoughtMs: Readonly<Record<string, number>>;
  /** The turn under way, and the last one (or run) that ended: a frame may carry deltas of an ended turn. */
  turn: number;
  ended: string | null;
};

export const nothingLive: Live = { answer: null, output: {}, thoughtMs: {}, turn: 0, ended: null };

export const turnKey = (runId: string | null, turn: number) => `${runId ?? ""}:${turn}`;

export function deltaStep(live: Live, delta: OutputDelta, now: number): Live {
  if (live.ended === turnKey(delta.runId, delta.turn) || live.ended === delta.runId) return live;
  const same = live.answer?.runId === delta.runId && live.answer.turn === delta.turn;
  const answer: LiveAnswer =
    same && live.answer
      ? live.answer
      : {
          runId: delta.runId,
          turn: delta.turn,
          text: "",
          thoughts: "",
          thinkingSince: null,
          thoughtMs: null,
        };
  if (delta.tokenType === "LLM_THINKING") {
    const thinking = {
      ...answer,
      thoughts: grown(answer.thoughts, delta.text, answer),
      fetched: false,
      thinkingSince: answer.thinkingSince ?? now,
    };
    return { ...live, answer: thinking };
  }
  const thoughtMs =
    answer.thoughtMs ?? (answer.thinkingSince === null ? null : Math.max(0, now - answer.thinkingSince));
  const next = {
    ...live,
    answer: { ...answer, text: grown(answer.text, delta.text, answer), fetched: false, thoughtMs },
  };
  if (thoughtMs === null) return next;
  return { ...next, thoughtMs: { ...live.thoughtMs, [turnKey(delta.runId, delta.turn)]: thoughtMs } };
}

const grown = (before: string, more: string, answer: LiveAnswer) =>
  answer.fetched ? joinOverlap(before, more) : before + more;

export function outputStep(live: Live, output: CommandOutput): Live {
  const all = (live.output[output.callId] ?? "") + output.text;
  return { ...live, output: { ...live.output, [output.callId]: all.slice(-maxOutputChars) } };
}

const endsRun = new Set(["run.completed", "run.failed", "run.cancelled"]);

/** Stored events are authoritative: the finished message replaces the streamed one. */
export function liveEventStep(live: Live, event: Event): Live {
  const p = payloadOf(event);
  if (event.type === "run.started") return { ...live, answer: null, turn: 0, ended: null };
  if (event.type === "engine.request") return { ...live, turn: maybeNumber(p, "turn") ?? live.turn + 1 };
  if (event.type === "engine.retry") return { ...live, answer: null };
  if (event.type === "output.message") {
    const turn = maybeNumber(p, "turn") ?? live.answer?.turn ?? live.turn;
    return { ...live, answer: null, ended: turnKey(event.runId, turn) };
  }
  if (endsRun.has(event.type)) return { ...live, answer: null, ended: event.runId };
  if (event.type !== "tool.result") return live;
  const callId = text(p, "callId");
  if (!(callId in live.output)) return live;
  const { [callId]: _done, ...output } = live.output;
  return { ...live, output };
}

/** Joins the answer the engine kept with the deltas that came while it was being fetched. */
export function withPartial(live: Live, partial: PartialAnswer | null): Live {
  if (partial === null) return live;
  const seen = live.answer?.runId === partial.runId && live.answer.turn === partial.turn ? live.answer : null;
  return {
    ...live,
    answer: {
      runId: partial.runId,
      turn: partial.turn,
      text: joinOverlap(partial.text, seen?.text ?? ""),
      thoughts: joinOverlap(partial.thoughts, seen?.thoughts ?? ""),
      thinkingSince: seen?.thinkingSince ?? null,
      thoughtMs: seen?.thoughtMs ?? null,
      fetched: true,
    },
  };
}

export function joinOverlap(before: string, after: string): string {
  for (let size = Math.min(before.length, after.length); size > 0; size -= 1) {
    if (before.endsWith(after.slice(0, size))) return before + after.slice(size);
  }
  return before + after;
}
