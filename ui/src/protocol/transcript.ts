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
  /** The number under which the engine tells what changes of it. */
  hold: number;
  /** The last event that is in it. */
  lastSeq: number;
  /** Items before this place were let go of; the engine still has them. */
  fromPlace: number;
};

export const nothingPlaced: PlacedTranscript = {
  transcript: emptyTranscript,
  places: [],
  hold: 0,
  lastSeq: 0,
  fromPlace: 0,
};

export function heldTranscript({ items, standing, hold, lastSeq }: HeldConversation): PlacedTranscript {
  const shown = items.flatMap(({ place, item }) => (item === null ? [] : [{ place, item: item as Item }]));
  const transcript = { ...standing, items: shown.map(({ item }) => item) };
  return { transcript, places: shown.map(({ place }) => place), hold, lastSeq, fromPlace: 0 };
}

/**
 * The transcript after a change; items that didn't change stay the same objects. What belongs to another hold, or comes
 * after something that was missed, is left.
 */
export function changedTranscript(
  held: PlacedTranscript,
  change: ConversationChange,
  events: readonly Event[],
): PlacedTranscript {
  if (change.hold !== held.hold || change.baseSeq !== held.lastSeq) return held;
  const { transcript } = held;
  const own = change.items.filter(({ place }) => place >= held.fromPlace);
  const { standing, lastSeq } = change;
  if (own.length === 0 && standing === null) return { ...held, lastSeq };
  const items = [...transcript.items];
  const places = [...held.places];
  for (const placed of own) put(items, places, placed, events);
  const isSaid = own.length > 0;
  return {
    ...held,
    transcript: { ...(standing ?? transcript), items: isSaid ? items : transcript.items },
    places: isSaid ? places : held.places,
    lastSeq,
  };
}

/** The transcript without what began before an event, which is held no more. */
export function keptFrom(held: PlacedTranscript, seq: number): PlacedTranscript {
  const { items } = held.transcript;
  const kept = items.findIndex((item) => item.seq >= seq);
  const gone = kept === -1 ? items.length : kept;
  if (gone === 0) return held;
  const transcript = { ...held.transcript, items: items.slice(gone) };
  const fromPlace = (held.places[gone - 1] ?? 0) + 1;
  return { ...held, transcript, places: held.places.slice(gone), fromPlace };
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
