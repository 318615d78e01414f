import { describe, expect, it } from "vitest";
import { parseDiff } from "../../components/diff/parse";
import { roomsOf, withSurroundings } from "./surroundings";

const diff = `--- a/a
+++ b/a
@@ -10,3 +10,4 @@
 ten
-eleven
+11
+11 and a half
 twelve
@@ -40,4 +41,4 @@
-forty
+40
 41
 42
 43
`;
const hunks = parseDiff(diff)[0]?.hunks ?? [];

describe("the room around hunks", () => {
  it("reaches to both ends of the file, and to the middle between two of them", () => {
    expect(roomsOf(hunks)).toEqual([
      { first: 1, last: 26 },
      { first: 27, last: null },
    ]);
  });

  it("ends where a hunk has fewer lines below its change than a diff shows", () => {
    const [hunk] = hunks;
    if (!hunk) throw new Error("no hunk");
    expect(roomsOf([hunk])).toEqual([{ first: 1, last: 12 }]);
    // Not all of it has come.
    const cut = { ...hunk, oldLines: 30 };
    expect(roomsOf([cut])).toEqual([{ first: 1, last: null }]);
  });

  it("is none between neighbours", () => {
    const [hunk] = hunks;
    if (!hunk) throw new Error("no hunk");
    const next = { ...hunk, oldStart: 13 };
    expect(roomsOf([hunk, next])).toEqual([
      { first: 1, last: 12 },
      { first: 13, last: 15 },
    ]);
    const afterOne = { ...hunk, oldStart: 14 };
    expect(roomsOf([hunk, afterOne])).toEqual([
      { first: 1, last: 13 },
      { first: 14, last: 16 },
    ]);
  });

  it("is drawn with the numbers of both sides, and decides nothing", () => {
    const [hunk] = hunks;
    if (!hunk) throw new Error("no hunk");
    const wide = withSurroundings(hunk, { above: ["eight", "nine"], below: ["thirteen"] });
    const numbers = wide.lines.map(({ kind, oldNumber, newNumber }) => [kind, oldNumber, newNumber]);
    expect(numbers.slice(0, 3)).toEqual([
      ["context", 8, 8],
      ["context", 9, 9],
      ["context", 10, 10],
    ]);
    expect(numbers.at(-1)).toEqual(["context", 13, 14]);
    expect([wide.oldStart, wide.oldLines, wide.newStart, wide.newLines]).toEqual([8, 6, 8, 7]);
    expect(wide.index).toBe(hunk.index);
    expect(withSurroundings(hunk, { above: [], below: [] })).toBe(hunk);
  });
});
