/** Which row of the transcript shows an event. Pure. */
import type { Event } from "../../protocol/generated";
import { text } from "../../protocol/read";
import type { Item, Transcript } from "../../protocol/transcript";

/** One event of a session that is to be shown, once for each `at`; null: the question that is open. */
export type Place = {
  sessionId: string;
  seq: number | null;
  at: number;
  /** What was looked for in it, which is marked. The focus stays where it was typed. */
  words?: string;
};

/** The row to show and to give the focus, once for each `at`. */
export type Found = {
  key: string;
  at: number;
  /** It is at the end, where the conversation goes on: showing it does not leave the end. */
  atEnd: boolean;
  words: string | null;
};

/** The question that waits for the user's answer. */
export function openQuestion(transcript: Transcript): Item | null {
  const asks = (item: Item) => item.kind === "tool" && item.question !== null && item.state === "waiting";
  return transcript.items.findLast(asks) ?? null;
}

/** What happened to a call is shown on its card; everything else where it stands, or right before. */
export function itemAt(events: readonly Event[], transcript: Transcript, seq: number): Item | null {
  const event = events.find((one) => one.seq === seq);
  if (!event) return null;
  const callId = text(event.payload, "callId");
  const own = transcript.items.findLast(
    (item) => item.kind === "tool" && item.callId === callId && callId !== "",
  );
  return own ?? transcript.items.findLast((item) => item.seq <= seq) ?? transcript.items[0] ?? null;
}
