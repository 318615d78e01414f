/** The transcript's items as rows to draw: the answer under way at its end, and who speaks where. Pure. */
import { type Live, turnKey } from "../../protocol/live";
import type { AssistantItem, Item, Transcript } from "../../protocol/transcript";

export type Row = {
  item: Item;
  /** The first row of an answer carries the speaker's name. */
  speaker: boolean;
  streaming: boolean;
  thoughtMs: number | null;
  output: string | null;
};

export function rowsOf(transcript: Transcript, live: Live, atEnd: boolean): Row[] {
  const items: Item[] =
    atEnd && live.answer ? [...transcript.items, liveItem(live.answer, transcript)] : transcript.items;
  let arkiSpoke = false;
  return items.map((item) => {
    const arki = item.kind === "assistant" || item.kind === "tool";
    const speaker = item.kind === "user" || (arki && !arkiSpoke);
    if (item.kind === "user") arkiSpoke = false;
    else if (arki) arkiSpoke = true;
    return {
      item,
      speaker,
      streaming: item.key === liveKey,
      thoughtMs: item.kind === "assistant" ? thoughtMs(item, live) : null,
      output: item.kind === "tool" ? (live.output[item.callId] ?? null) : null,
    };
  });
}

export const liveKey = "live";

function liveItem(answer: NonNullable<Live["answer"]>, transcript: Transcript): AssistantItem {
  const last = transcript.items.at(-1);
  return {
    kind: "assistant",
    key: liveKey,
    seq: Number.POSITIVE_INFINITY,
    ts: last?.ts ?? 0,
    runId: answer.runId,
    turn: answer.turn,
    text: answer.text,
    thoughts: answer.thoughts,
    interrupted: false,
  };
}

function thoughtMs(item: AssistantItem, live: Live): number | null {
  return live.thoughtMs[turnKey(item.runId, item.turn)] ?? null;
}
