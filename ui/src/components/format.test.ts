import { describe, expect, it } from "vitest";
import { duration } from "./format";

describe("a duration", () => {
  it.each([
    [0, "under 1 ms"],
    [0.4, "under 1 ms"],
    [1, "1 ms"],
    [999, "999 ms"],
    [1500, "1.5 s"],
    [59_400, "59 s"],
    [61_000, "1 min 1 s"],
    [3_600_000, "1 h"],
  ])("of %d ms is told in units that fit it", (ms, words) => {
    expect(duration(ms)).toBe(words);
  });
});
