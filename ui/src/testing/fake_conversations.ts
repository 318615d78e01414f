/** The conversations that the engine in memory folds, and folds on as events come. */
import type { ConversationChange, Event, HeldConversation, PlacedItem } from "../protocol/generated";
import type { Item } from "../protocol/items";
import { conversationStep, type FoldedConversation, foldTranscript } from "./conversation_fold";

const placedOf = (item: Item | null, place: number): PlacedItem => ({
  place,
  item: item && { ...wholeCall, ...item },
  textOf: null,
});

/** What a window reads elsewhere. */
const wholeCall = {
  decisions: [],
  approval: null,
  placeholder: null,
  changes: [],
  isError: false,
  code: null,
};

function standingOf(folded: FoldedConversation): HeldConversation["standing"] {
  const { turn, stage, provider, lastPrompt, run, pausedFor, retry, compacting } = folded;
  return { turn, stage, provider, lastPrompt, run, pausedFor, retry, compacting };
}

export function fakeConversations(logs: Record<string, Event[]>) {
  const held = new Map<string, { folded: FoldedConversation; lastSeq: number }>();
  const hold = ({
    sessionId,
    fromSeq,
    toSeq,
  }: {
    sessionId: string;
    fromSeq: number;
    toSeq: number | null;
  }) => {
    const events = (logs[sessionId] ?? []).filter(
      ({ seq }) => seq >= fromSeq && (toSeq === null || seq <= toSeq),
    );
    const folded = foldTranscript(events);
    const lastSeq = events.at(-1)?.seq ?? 0;
    if (toSeq === null) held.set(sessionId, { folded, lastSeq });
    else held.delete(sessionId);
    return { lastSeq, items: folded.items.map(placedOf), standing: standingOf(folded) };
  };
  const apply = (events: readonly Event[]): ConversationChange[] =>
    events.flatMap((event) => {
      const before = held.get(event.sessionId);
      if (!before || event.seq <= before.lastSeq) return [];
      const folded = conversationStep(before.folded, event);
      held.set(event.sessionId, { folded, lastSeq: event.seq });
      const most = Math.max(folded.items.length, before.folded.items.length);
      const items = Array.from({ length: most }, (_, place) => place)
        .filter((place) => folded.items[place] !== before.folded.items[place])
        .map((place) => placedOf(folded.items[place] ?? null, place));
      const { sessionId, seq: lastSeq } = event;
      return [{ sessionId, baseSeq: before.lastSeq, lastSeq, items, standing: standingOf(folded) }];
    });
  return { hold, apply };
}
