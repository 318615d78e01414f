/** The conversation that the engine folds over what is held of a log, and folds on as events come. */
import type { ConversationChange, Event, HeldConversation } from "../../protocol/generated";
import { changedTranscript, heldTranscript, type PlacedTranscript } from "../../protocol/transcript";
import { type EventWindow, firstSeq, lastSeq, pageSize } from "../../protocol/window";
import type { Platform } from "../platform";

export function createHeldConversation(platform: Platform, sessionId: string) {
  /** One after the other: the engine holds what was asked for last. */
  let last: Promise<unknown> = Promise.resolve();
  let asking = 0;
  /** A frame may overtake the answer with the conversation that it changes. */
  let early: { change: ConversationChange; events: readonly Event[] }[] = [];

  const inTurn = async <T>(ask: () => Promise<T>, heldIn: (answer: T) => HeldConversation) => {
    asking += 1;
    const asked = last.then(ask);
    last = asked.catch(() => undefined);
    try {
      const answer = await asked;
      const held = heldTranscript(heldIn(answer));
      const changed = (now: PlacedTranscript, { change, events }: (typeof early)[number]) =>
        changedTranscript(now, change, events);
      return { answer, placed: early.reduce(changed, held) };
    } finally {
      asking -= 1;
      if (asking === 0) early = [];
    }
  };
  /** Reads the last page and has the engine fold it; what comes until `settled` is taken in too. */
  const open = async (settled: () => Promise<void>) => {
    const ask = async () => {
      const opened = await platform.call("open_conversation", { sessionId, limit: pageSize });
      await settled();
      return opened;
    };
    const { answer, placed } = await inTurn(ask, ({ held }) => held);
    return { page: answer.page, placed };
  };
  /**
   * Has the engine fold these events: up to the log's end, unless newer ones were let go or a moment of the past is shown.
   */
  const hold = async (window: EventWindow, isPast = false) => {
    const fromSeq = firstSeq(window) ?? 1;
    const toSeq = isPast || window.hasNewer ? lastSeq(window) : null;
    const ask = () => platform.call("hold_conversation", { sessionId, fromSeq, toSeq });
    return (await inTurn(ask, (held) => held)).placed;
  };
  /** The transcript after a frame. */
  const after = (
    held: PlacedTranscript,
    changes: readonly ConversationChange[],
    events: readonly Event[],
  ) => {
    const own = changes.filter((change) => change.sessionId === sessionId);
    if (asking > 0) early.push(...own.map((change) => ({ change, events })));
    return own.reduce((now, change) => changedTranscript(now, change, events), held);
  };
  /** Whether an answer is awaited. */
  const isAsking = () => asking > 0;
  return { open, hold, after, isAsking };
}
