/** The fold of the engine in memory gives the items of the domain's, for each of its cases: `domain/src/projection/conversation/tests.rs`. */
import { describe, expect, it } from "vitest";
import type { ConversationItem, ConversationStanding, Event } from "../protocol/generated";
import { foldTranscript } from "./conversation_fold";

type Line = {
  event?: Event;
  item?: ConversationItem;
  isShown?: boolean;
  standing?: ConversationStanding;
};

const snapshots = import.meta.glob<string>("../../../tests/fixtures/conversations/*.snap", {
  query: "?raw",
  import: "default",
  eager: true,
});

function linesOf(snapshot: string): Line[] {
  const body = snapshot.split("\n---\n")[1] ?? "";
  return body
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);
}

/** As it would be sent. */
const sent = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe("the items of a conversation", () => {
  it("are held to many cases", () => {
    expect(Object.keys(snapshots).length).toBeGreaterThan(40);
  });

  it.each(Object.entries(snapshots))("are those of the domain in %s", (_name, snapshot) => {
    const lines = linesOf(snapshot);
    const events = lines.flatMap(({ event }) => event ?? []);
    const items = lines.flatMap(({ item, isShown }) => (item && isShown ? [item] : []));
    const { standing } = lines.at(-1) ?? {};
    const folded = foldTranscript(events);
    expect(folded.items.map((item) => item.key)).toEqual(items.map((item) => item.key));
    items.forEach((item, place) => {
      const own = sent(folded.items[place]) as ConversationItem;
      // The window says false where the domain says nothing.
      if (!own.takenBack) delete own.takenBack;
      expect(item).toMatchObject(own);
      expect(own.takenBack).toBe(item.takenBack);
    });
    expect(folded).toMatchObject(standing ?? {});
  });
});
