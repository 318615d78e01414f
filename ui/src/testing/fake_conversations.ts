/** The conversations that the engine in memory folds, and folds on as events come. */
import type { Params } from "../platform/platform";
import type {
  ConversationChange,
  Event,
  HeldConversation,
  PlacedItem,
  SessionPage,
} from "../protocol/generated";
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
  const held = new Map<string, { folded: FoldedConversation; hold: number; lastSeq: number }>();
  let holds = 0;
  const page = ({ sessionId, beforeSeq, limit }: Params<"session_page">): SessionPage => {
    const before = (logs[sessionId] ?? []).filter((event) => beforeSeq === null || event.seq < beforeSeq);
    return { events: before.slice(-limit), hasMore: before.length > limit, partial: null };
  };
  const hold = ({ sessionId, fromSeq, toSeq }: Params<"hold_conversation">): HeldConversation => {
    const events = (logs[sessionId] ?? []).filter(
      ({ seq }) => seq >= fromSeq && (toSeq === null || seq <= toSeq),
    );
    const folded = foldTranscript(events);
    const lastSeq = events.at(-1)?.seq ?? 0;
    held.delete(sessionId);
    const hold = toSeq === null ? ++holds : 0;
    if (hold > 0) held.set(sessionId, { folded, hold, lastSeq });
    return { hold, lastSeq, items: folded.items.map(placedOf), standing: standingOf(folded) };
  };
  const apply = (events: readonly Event[]): ConversationChange[] =>
    events.flatMap((event) => {
      const before = held.get(event.sessionId);
      if (!before || event.seq <= before.lastSeq) return [];
      const folded = conversationStep(before.folded, event);
      held.set(event.sessionId, { ...before, folded, lastSeq: event.seq });
      const most = Math.max(folded.items.length, before.folded.items.length);
      const items = Array.from({ length: most }, (_, place) => place)
        .filter((place) => folded.items[place] !== before.folded.items[place])
        .map((place) => placedOf(folded.items[place] ?? null, place));
      const { sessionId, seq: lastSeq } = event;
      return [
        {
          sessionId,
          hold: before.hold,
          baseSeq: before.lastSeq,
          lastSeq,
          items,
          standing: standingOf(folded),
        },
      ];
    });
  const open = (sessionId: string, opened: SessionPage) => {
    const fromSeq = opened.events[0]?.seq ?? 1;
    return { page: opened, held: hold({ sessionId, fromSeq, toSeq: null }) };
  };
  return { page, open, hold, apply };
}
