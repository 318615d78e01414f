import { describe, expect, it } from "vitest";
import type { SessionSummary } from "../../protocol/generated";
import type { Group } from "../../protocol/session_groups";
import { heights, slicesOf } from "./windowing";

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
const whole = 10_000 * heights.row;
const closed = () => false;

describe("the rows in sight", () => {
  it("are few of many, and the rest is room of the same height", () => {
    const from = 5000 * heights.row;
    const [long, ...others] = slicesOf(groups, { from, to: from + 20 * heights.row }, closed);
    expect(long?.families.length).toBeLessThan(25);
    expect(long?.families[0]?.session.sessionId).toBe(`${long?.first}`);
    const drawn = (long?.families.length ?? 0) * heights.row;
    expect((long?.above ?? 0) + drawn + (long?.below ?? 0)).toBe(whole);
    expect(others.map((slice) => slice.families.length)).toEqual([0, 0]);
  });

  it("are all of them where nothing has a size, and the last ones at the end", () => {
    const all = slicesOf(groups, { from: 0, to: Number.POSITIVE_INFINITY }, closed);
    expect(all.map((slice) => slice.families.length)).toEqual([10_000, 5, 5]);
    const end = slicesOf(groups, { from: whole + 4 * heights.row, to: whole + 100 * heights.row }, closed);
    expect(end.map((slice) => slice.families.length)).toEqual([0, 5, 5]);
  });

  it("are higher where sub-agents are shown", () => {
    const family = families(1).map((one) => ({ ...one, subagents: [one.session, one.session] }));
    const of: Group[] = [{ project: "/a", days: [{ day: "today", families: [...family, ...families(1)] }] }];
    const below = heights.project + 2.5 * heights.row;
    const second = (isOpen: boolean) => slicesOf(of, { from: below, to: below + 1 }, () => isOpen)[0];
    expect([second(true)?.first, second(false)?.first]).toEqual([0, 2]);
  });
});
