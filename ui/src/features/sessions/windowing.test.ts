import { describe, expect, it } from "vitest";
import type { SessionSummary } from "../../protocol/generated";
import type { Group } from "../../protocol/session_groups";
import { heightsNow, placeOf, type Slice, slicesOf } from "./windowing";

const families = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    session: { sessionId: `${at}` } as SessionSummary,
    subagents: [],
  }));
const groups: Group[] = [
  { project: "/a", days: [{ day: "today", families: families(10_000) }] },
  {
    project: "/b",
    days: [
      { day: "today", families: families(5) },
      { day: "older", families: families(5) },
    ],
  },
];
const heights = heightsNow();
const whole = 10_000 * heights.row;
const closed = () => false;
const heightOf = (slice: Slice | undefined) =>
  (slice?.drawn ?? []).reduce((height, { room }) => height + room + heights.row, slice?.below ?? 0);

describe("the rows in sight", () => {
  it("are few of many, and the rest is room of the same height", () => {
    const from = 5000 * heights.row;
    const [long, ...others] = slicesOf(groups, { from, to: from + 20 * heights.row }, closed, null);
    const drawn = long?.drawn ?? [];
    expect(drawn.length).toBeLessThan(25);
    expect(drawn[0]?.family.session.sessionId).toBe(`${drawn[0]?.number}`);
    expect(heightOf(long)).toBe(whole);
    expect(others.map((slice) => slice.drawn.length)).toEqual([0, 0]);
  });

  it("have the kept one with them, above or below, in the same height", () => {
    const from = 5000 * heights.row;
    for (const kept of ["7", "9000"]) {
      const [long] = slicesOf(groups, { from, to: from + 1 }, closed, kept);
      expect(long?.drawn.filter(({ family }) => family.session.sessionId === kept)).toHaveLength(1);
      expect(long?.drawn.length).toBeLessThan(6);
      expect(heightOf(long)).toBe(whole);
    }
  });

  it("stand where they are drawn", () => {
    const place = placeOf(groups, "9000", closed);
    expect(place).toEqual({
      top: heights.project + 9000 * heights.row,
      bottom: heights.project + 9001 * heights.row,
    });
    expect(placeOf(groups, "nowhere", closed)).toBeNull();
    const sub = { sessionId: "sub" } as SessionSummary;
    const family = families(1).map((one) => ({ ...one, subagents: [sub] }));
    const of: Group[] = [{ project: "/a", days: [{ day: "today", families: family }] }];
    expect(placeOf(of, "sub", closed)).toBeNull();
    expect(placeOf(of, "sub", () => true)?.top).toBe(heights.project + heights.row);
  });

  it("are as high as their titles need, wherever they stand", () => {
    const tall = heights.row + heights.line;
    const heightOf = ({ sessionId }: SessionSummary) => (Number(sessionId) % 2 === 0 ? tall : heights.row);
    const pair = tall + heights.row;
    const place = placeOf(groups, "9000", closed, heightOf);
    expect(place).toEqual({
      top: heights.project + 4500 * pair,
      bottom: heights.project + 4500 * pair + tall,
    });
    const from = heights.project + 4500 * pair + 1;
    const [long] = slicesOf(groups, { from, to: from + 1 }, closed, null, heightOf);
    expect(long?.drawn.map(({ number, room }) => [number, room])).toEqual([[9000, 4500 * pair]]);
    expect(long?.below).toBe(500 * pair - tall);
  });

  it("are all of them where nothing has a size, and the last ones at the end", () => {
    const all = slicesOf(groups, { from: 0, to: Number.POSITIVE_INFINITY }, closed, null);
    expect(all.map((slice) => slice.drawn.length)).toEqual([10_000, 5, 5]);
    const last = { from: whole + 4 * heights.row, to: whole + 100 * heights.row };
    const end = slicesOf(groups, last, closed, null);
    expect(end.map((slice) => slice.drawn.length)).toEqual([0, 5, 5]);
  });

  it("are higher where sub-agents are shown", () => {
    const family = families(1).map((one) => ({ ...one, subagents: [one.session, one.session] }));
    const of: Group[] = [{ project: "/a", days: [{ day: "today", families: [...family, ...families(1)] }] }];
    const below = heights.project + 2.5 * heights.row;
    const drawn = (isOpen: boolean) =>
      slicesOf(of, { from: below, to: below + 1 }, () => isOpen, null)[0]?.drawn.map(({ number }) => number);
    expect([drawn(true), drawn(false)]).toEqual([[0], []]);
  });
});
