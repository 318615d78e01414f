import { describe, expect, it } from "vitest";
import { eventLog } from "../testing/events";
import type { ConversationChange, PlacedItem } from "./generated";
import {
  changedTranscript,
  emptyTranscript,
  heldTranscript,
  type Item,
  keptFrom,
  type PlacedTranscript,
} from "./transcript";

const said = (place: number, text: string, textOf: number | null = null): PlacedItem => ({
  place,
  item: {
    kind: "assistant",
    key: `${place}`,
    seq: place,
    ts: 0,
    runId: null,
    turn: 1,
    text,
    thoughts: "",
    interrupted: false,
  },
  textOf,
});

const held = (...items: PlacedItem[]): PlacedTranscript =>
  heldTranscript({ hold: 1, lastSeq: 10, items, standing: { ...emptyTranscript } });

const change = (items: PlacedItem[], part: Partial<ConversationChange> = {}): ConversationChange => ({
  sessionId: "s",
  hold: 1,
  baseSeq: 10,
  lastSeq: 11,
  items,
  standing: null,
  ...part,
});

const texts = (placed: PlacedTranscript) =>
  placed.transcript.items.map((item: Item) => (item.kind === "assistant" ? item.text : item.kind));

describe("a transcript", () => {
  it("takes in what changed by its place, and leaves the rest as it is", () => {
    const before = held(said(0, "a"), said(3, "b"), said(7, "c"));
    const after = changedTranscript(before, change([said(3, "B"), said(5, "new"), said(9, "end")]), []);
    expect(texts(after)).toEqual(["a", "B", "new", "c", "end"]);
    expect(after.transcript.items[0]).toBe(before.transcript.items[0]);
    expect(after.transcript.items[3]).toBe(before.transcript.items[2]);
    expect(after.lastSeq).toBe(11);
  });

  it("lets go of what is not shown any more", () => {
    const gone = { place: 3, item: null, textOf: null };
    expect(texts(changedTranscript(held(said(0, "a"), said(3, "b")), change([gone]), []))).toEqual(["a"]);
    expect(texts(changedTranscript(held(said(0, "a")), change([gone]), []))).toEqual(["a"]);
  });

  it("finds a long text in the event of the same frame", () => {
    const log = eventLog("s");
    const event = log.add("output.message", { content: "a long answer" });
    const placed = said(4, "", event.seq);
    expect(texts(changedTranscript(held(), change([placed]), [event]))).toEqual(["a long answer"]);
  });

  it("keeps its items where only its standing changes", () => {
    const before = held(said(0, "a"));
    const standing = { ...emptyTranscript, turn: 3 };
    const after = changedTranscript(before, change([], { standing }), []);
    expect(after.transcript).toMatchObject({ turn: 3 });
    expect(after.transcript.items).toBe(before.transcript.items);
  });

  it("lets go of its beginning, and of what changes there later", () => {
    const before = held(said(0, "a"), said(3, "b"), said(7, "c"));
    const kept = keptFrom(before, 3);
    expect(texts(kept)).toEqual(["b", "c"]);
    expect(keptFrom(kept, 3)).toBe(kept);
    expect(texts(changedTranscript(kept, change([said(0, "A"), said(3, "B")]), []))).toEqual(["B", "c"]);
    expect(texts(changedTranscript(keptFrom(before, 8), change([said(7, "C")]), []))).toEqual([]);
  });

  it("leaves what belongs to another hold, comes after something missed or is in it already", () => {
    const before = held(said(0, "a"));
    for (const part of [{ hold: 2 }, { baseSeq: 11, lastSeq: 12 }, { baseSeq: 8, lastSeq: 10 }])
      expect(changedTranscript(before, change([said(0, "x")], part), [])).toBe(before);
  });
});
