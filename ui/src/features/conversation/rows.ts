/**
 * The transcript's items as rows to draw: the answer in progress and how the run stands at its end, who speaks where,
 * and what was taken back folded away. Pure.
 */
import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import type { SessionState } from "../../protocol/generated";
import { onlyReads } from "../../protocol/items";
import { type Live, type LiveAnswer, turnKey } from "../../protocol/live";
import type { AssistantItem, Item, ToolItem, Transcript } from "../../protocol/transcript";

/** How a run that is not over stands, in words. */
export type Standing = { state: "paused" | "interrupted"; words: string };

type ViewItem = { key: string; seq: number; ts: number };
/** Stands for what was taken back in one go. */
export type TakenItem = ViewItem & { kind: "taken"; messages: number; open: boolean };
/** Stands for calls that only read, one after the other. */
export type ReadsItem = ViewItem & {
  kind: "reads";
  takenBack?: boolean;
  calls: readonly ToolItem[];
  open: boolean;
};
/** A run that stopped half-way, with what to do about it. */
export type StoppedItem = ViewItem & { kind: "stopped"; standing: Standing };

export type Row = {
  /** The same for an answer in progress and once it is stored: it is not drawn anew. */
  key: string;
  item: Item | TakenItem | ReadsItem | StoppedItem;
  /** The first row of an answer carries the speaker's name. */
  speaker: boolean;
  streaming: boolean;
  /** The words as they stream in, or streamed in. */
  told: LiveAnswer | null;
  thoughtMs: number | null;
  output: string | null;
  changed: readonly string[] | null;
  offers: Offer | null;
};

/** What can be done about a row: going on after a failure, or trusting the folder, for lack of which it was denied. */
export type Offer = "resume" | "trust";

type Given = {
  transcript: Transcript;
  live: Live;
  /** Whether the end of the log is loaded. */
  atEnd: boolean;
  standing: Standing | null;
  /** What is unfolded, by the keys of the rows that stand for it. */
  unfolded: ReadonlySet<string>;
  /** No run of the session is active. */
  idle: boolean;
  /** The folder it works on is not trusted. */
  untrusted: boolean;
};

export function rowsOf({ transcript, live, atEnd, standing, unfolded, idle, untrusted }: Given): Row[] {
  const rows: Row[] = [];
  const offers = new Map<string, Offer>();
  // Hooks of `Notification` run when the run is over, and take nothing from how it ended.
  const last = transcript.items.findLast((item) => item.kind !== "hook");
  const lacking = transcript.items.findLast((item) => item.kind === "tool" && item.lacksTrust);
  if (untrusted && lacking) offers.set(lacking.key, "trust");
  if (idle && last?.kind === "failure") offers.set(last.key, "resume");
  const answers = new Set<string>();
  const row = (item: Row["item"], speaker = false) => {
    const streaming = item.key === liveKey;
    const turn = item.kind === "assistant" ? turnKey(item.runId, item.turn) : null;
    // Only one row of a turn can be the one that streamed in.
    const own = turn !== null && !answers.has(turn) ? turn : null;
    if (own !== null) answers.add(own);
    rows.push({
      key: own === null ? item.key : `answer ${own}`,
      item,
      speaker,
      streaming,
      told: streaming ? live.answer : own === null ? null : (live.told[own] ?? null),
      thoughtMs: turn === null ? null : (live.thoughtMs[turn] ?? null),
      output: item.kind === "tool" ? (live.output[item.callId] ?? null) : null,
      changed: item.kind === "tool" ? (live.changed[item.callId] ?? null) : null,
      offers: offers.get(item.key) ?? null,
    });
  };
  let arkiSpoke = false;
  const said = (given: Item) => {
    const item = standing?.state === "interrupted" ? asLeft(given) : given;
    const arki = item.kind === "assistant" || item.kind === "tool";
    row(item, item.kind === "user" || (arki && !arkiSpoke));
    if (item.kind === "user") arkiSpoke = false;
    else if (arki) arkiSpoke = true;
  };
  const allSaid = (items: readonly Item[]) => {
    for (const some of readsApart(items)) {
      const [first] = some;
      const calls = some.filter((item) => item.kind === "tool");
      // Those at the end of a run that goes on may be looked at as they come: they fold once something follows.
      const goesOn = transcript.run === "running" && some.at(-1) === last;
      if (first === undefined || calls.length < fewestReads || goesOn) {
        some.forEach(said);
        continue;
      }
      // Its first call becomes another when an older page comes: what was opened stays open.
      const key = some.map(readsKey).find((one) => unfolded.has(one)) ?? readsKey(first);
      const open = unfolded.has(key);
      const { seq, ts, takenBack } = first;
      row({ kind: "reads", key, seq, ts, takenBack, calls, open }, !arkiSpoke);
      arkiSpoke = true;
      if (open) some.forEach(said);
    }
  };
  for (const part of partsOf(transcript.items)) {
    const first = part[0];
    if (!first?.takenBack) {
      allSaid(part);
      continue;
    }
    const key = takenKey(first);
    const open = unfolded.has(key);
    const messages = part.filter((item) => item.kind === "user" || item.kind === "assistant").length;
    row({ kind: "taken", key, seq: first.seq, ts: first.ts, messages, open });
    arkiSpoke = false;
    if (open) allSaid(part);
    arkiSpoke = false;
  }
  if (atEnd && live.answer) said(liveItem(live.answer, transcript));
  if (atEnd && standing)
    row({ kind: "stopped", key: "stopped", seq: Number.POSITIVE_INFINITY, ts: 0, standing });
  return rows;
}

/** What was in progress when the program ended is not running any more, and nothing comes after it. */
function asLeft(item: Item): Item {
  const isLeft = item.kind === "tool" && (item.state === "running" || item.state === "queued");
  return isLeft ? { ...item, state: "interrupted" } : item;
}

export const liveKey = "live";

const takenKey = (first: Item) => `taken ${first.key}`;
const readsKey = (first: Item) => `reads ${first.key}`;

/** Fewer calls stay as they are: one line would say less than they do. */
const fewestReads = 3;

/** It is over, only read, asked nobody anything, and no hook had anything against it. */
const isRead = (item: Item) =>
  item.kind === "tool" &&
  onlyReads(item) &&
  (item.state === "done" || item.state === "failed") &&
  item.question === null &&
  item.elicitations.length === 0 &&
  item.hooks.length === 0;

/** A model that only calls says nothing. */
const saysNothing = (item: Item) =>
  item.kind === "assistant" && item.text === "" && item.thoughts === "" && !item.interrupted;

/** Calls that only read and have no words between them, together; everything else by itself. */
function readsApart(items: readonly Item[]): Item[][] {
  const parts: Item[][] = [];
  for (const item of items) {
    const last = parts.at(-1);
    const goesOn = last?.[0] !== undefined && isRead(last[0]);
    if (last && goesOn && (isRead(item) || saysNothing(item))) last.push(item);
    else parts.push([item]);
  }
  return parts;
}

/** Consecutive items that are all taken back, or none of them. */
function partsOf(items: readonly Item[]): Item[][] {
  const parts: Item[][] = [];
  for (const item of items) {
    const last = parts.at(-1);
    if (last && (last[0]?.takenBack ?? false) === (item.takenBack ?? false)) last.push(item);
    else parts.push([item]);
  }
  return parts;
}

/** The keys of rows that stand for an item where they are folded. */
export function foldedIn(items: readonly Item[], key: string): string[] {
  const holds = (part: readonly Item[]) => part.some((item) => item.key === key);
  const part = partsOf(items).find(holds) ?? [];
  const reads = readsApart(part).find(holds) ?? [];
  const [first, read] = [part[0], reads[0]];
  return [...(first?.takenBack ? [takenKey(first)] : []), ...(read ? [readsKey(read)] : [])];
}

function liveItem(answer: NonNullable<Live["answer"]>, transcript: Transcript): AssistantItem {
  const last = transcript.items.at(-1);
  return {
    kind: "assistant",
    key: liveKey,
    seq: Number.POSITIVE_INFINITY,
    ts: last?.ts ?? 0,
    runId: answer.runId,
    turn: answer.turn,
    // What it says is in `Row.told`.
    text: "",
    thoughts: "",
    interrupted: false,
  };
}

const pausedWords: Readonly<Record<string, MessageDescriptor>> = {
  user: msg`You paused this run. The work so far is kept.`,
  budget: msg`Paused: this run reached a limit. Resume to start again with a full limit.`,
};

/** Null while it works, is over, or waits for a decision: that has its own place. */
export function standingOf(state: SessionState | null, transcript: Transcript): Standing | null {
  if (transcript.items.at(-1)?.kind === "rewound") return null;
  const waits = ["approval", "plan", "question"].includes(transcript.pausedFor ?? "");
  const paused = transcript.run === "paused" && !waits;
  if (state === "paused" || (state === null && paused)) {
    const reason = transcript.pausedFor ?? "";
    return { state: "paused", words: i18n._(pausedWords[reason] ?? msg`Paused. The work so far is kept.`) };
  }
  if (state === "interrupted") {
    return {
      state: "interrupted",
      words: t`Interrupted: Arki closed before this run ended. Finished work is kept. Arki won't repeat a command whose effect is unknown.`,
    };
  }
  return null;
}
