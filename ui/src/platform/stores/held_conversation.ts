/** The conversation that the engine folds over what is held of a log, and folds on as events come. */
import type { ConversationChange, Event } from "../../protocol/generated";
import { changedTranscript, heldTranscript, type PlacedTranscript } from "../../protocol/transcript";
import { type EventWindow, firstSeq, lastSeq } from "../../protocol/window";
import type { Platform } from "../platform";

export type HeldConversationStore = {
  /**
   * Has the engine fold these events: up to the log's end, unless newer ones were let go or a moment of the past is shown.
   * What it tells meanwhile is taken in too.
   */
  hold: (window: EventWindow, isPast?: boolean) => Promise<PlacedTranscript>;
  /** The transcript after a frame. Null: it needs to be held anew. */
  after: (
    held: PlacedTranscript,
    changes: readonly ConversationChange[],
    events: readonly Event[],
  ) => PlacedTranscript | null;
};

export function createHeldConversation(platform: Platform, sessionId: string): HeldConversationStore {
  /** One after the other: the engine holds what was asked for last. */
  let last: Promise<unknown> = Promise.resolve();
  let asking = 0;
  let early: { change: ConversationChange; events: readonly Event[] }[] = [];

  const hold: HeldConversationStore["hold"] = async (window, isPast = false) => {
    const fromSeq = firstSeq(window) ?? 1;
    const toSeq = isPast || window.hasNewer ? lastSeq(window) : null;
    asking += 1;
    const asked = last.then(() => platform.call("hold_conversation", { sessionId, fromSeq, toSeq }));
    last = asked.catch(() => undefined);
    try {
      const held = heldTranscript(await asked);
      if (toSeq !== null) return held;
      return early.reduce((now, { change, events }) => changedTranscript(now, change, events) ?? now, held);
    } finally {
      asking -= 1;
      if (asking === 0) early = [];
    }
  };
  const after: HeldConversationStore["after"] = (held, changes, events) => {
    const own = changes.filter((change) => change.sessionId === sessionId);
    if (asking > 0) early.push(...own.map((change) => ({ change, events })));
    return own.reduce<PlacedTranscript | null>(
      (now, change) => now && changedTranscript(now, change, events),
      held,
    );
  };
  return { hold, after };
}
