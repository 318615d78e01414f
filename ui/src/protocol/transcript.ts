/** What is said and done, as the engine has folded it: the items that are held, and how the conversation stands. Pure. */
import type {
  ConversationChange,
  ConversationStanding,
  Event,
  HeldConversation,
  PlacedItem,
} from "./generated";
import type { Item } from "./items";

export type * from "./items";

export type Transcript = ConversationStanding & { items: readonly Item[] };

export const emptyTranscript: Transcript = {
  items: [],
  turn: 0,
  stage: null,
  provider: null,
  lastPrompt: null,
  run: "none",
  pausedFor: null,
  retry: null,
  compacting: false,
};

/** A transcript with where each of its items stands among all that the engine folded. */
export type PlacedTranscript = {
  transcript: Transcript;
  places: readonly number[];
  /** The last event that is in it. */
  lastSeq: number;
};

export const nothingPlaced: PlacedTranscript = { transcript: emptyTranscript, places: [], lastSeq: 0 };

export function heldTranscript({ items, standing, lastSeq }: HeldConversation): PlacedTranscript {
  const shown = items.flatMap(({ place, item }) => (item === null ? [] : [{ place, item: item as Item }]));
  const transcript = { ...standing, items: shown.map(({ item }) => item) };
  return { transcript, places: shown.map(({ place }) => place), lastSeq };
}

/** The transcript after a change; items that didn't change stay the same objects. Null: it needs to be held anew. */
export function changedTranscript(
  held: PlacedTranscript,
  change: ConversationChange,
  events: readonly Event[],
): PlacedTranscript | null {
  if (change.lastSeq <= held.lastSeq) return held;
  if (change.baseSeq !== held.lastSeq) return null;
  const { transcript } = held;
  const items = [...transcript.items];
  const places = [...held.places];
  for (const placed of change.items) put(items, places, placed, events);
  return {
    transcript: {
      ...(change.standing ?? transcript),
      items: change.items.length > 0 ? items : transcript.items,
    },
    places,
    lastSeq: change.lastSeq,
  };
}

function put(items: Item[], places: number[], placed: PlacedItem, events: readonly Event[]) {
  // Nearly all are at the end.
  const before = places.findLastIndex((place) => place < placed.place);
  const isThere = places[before + 1] === placed.place;
  const item = withText(placed, events);
  items.splice(before + 1, isThere ? 1 : 0, ...(item ? [item] : []));
  places.splice(before + 1, isThere ? 1 : 0, ...(item ? [placed.place] : []));
}

/** A long text is in the event alone. */
function withText({ item, textOf }: PlacedItem, events: readonly Event[]): Item | null {
  if (item?.kind !== "assistant" || textOf === null) return item as Item | null;
  const said = events.find((event) => event.seq === textOf);
  return said?.type === "output.message" ? { ...item, text: said.payload.content } : item;
}
