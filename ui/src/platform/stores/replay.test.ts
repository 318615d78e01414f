import { describe, expect, it } from "vitest";
import { pageSize } from "../../protocol/window";
import { eventLog } from "../../testing/events";
import { beginReplay } from "./replay";

/** A long log in which every fifth event can be seen. */
function longLog(count: number) {
  const log = eventLog("s");
  for (let at = 1; at <= count; at += 1) log.add(at % 5 === 0 ? "output.message" : "engine.request", {});
  let asked = 0;
  const page = async (beforeSeq: number | null) => {
    asked += 1;
    const before = log.events.filter((event) => beforeSeq === null || event.seq < beforeSeq);
    return { events: before.slice(-pageSize), hasMore: before.length > pageSize };
  };
  return { page, asked: () => asked };
}

describe("going through a session's past", () => {
  it("holds the events up to the moment, and fetches a stretch only where the moment leaves it", async () => {
    const { page, asked } = longLog(1000);
    const replay = await beginReplay(page);
    expect(replay.last).toBe(1000);
    for (const seq of [900, 950, 801]) expect((await replay.at(seq)).events.at(-1)?.seq).toBe(seq);
    expect(asked()).toBe(1);
    const early = await replay.at(3);
    expect(early.events.map((event) => event.seq)).toEqual([1, 2, 3]);
    expect(early.hasOlder).toBe(false);
    expect(asked()).toBe(2);
  });

  it("steps to every moment at which something is seen, from either end, and no further", async () => {
    const { page } = longLog(703);
    const replay = await beginReplay(page);
    const all = Array.from({ length: 140 }, (_, at) => 5 * (at + 1));
    const walked = async (from: number, by: 1 | -1) => {
      const seqs: number[] = [];
      for (let seq: number | null = from; seq !== null; ) {
        seq = await replay.stepFrom(seq, by);
        if (seq !== null) seqs.push(seq);
      }
      return seqs;
    };
    await replay.at(1);
    expect(await walked(1, 1)).toEqual(all);
    expect(await walked(703, -1)).toEqual([...all].reverse());
  });

  it("begins where something is seen first, however long the log is", async () => {
    const { page } = longLog(6000);
    const replay = await beginReplay(page);
    expect(await replay.stepFrom(0, 1)).toBe(5);
  });

  it("goes by the moment that is shown, whichever stretch came last", async () => {
    const { page } = longLog(6000);
    const replay = await beginReplay(page);
    const [late, early] = await Promise.all([replay.at(5000), replay.at(1000)]);
    expect([late.events.at(-1)?.seq, early.events.at(-1)?.seq]).toEqual([5000, 1000]);
    expect(await replay.stepFrom(5000, -1)).toBe(4995);
  });
});
