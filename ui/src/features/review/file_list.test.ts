import { describe, expect, it } from "vitest";
import { decide, edit, undecided, undo } from "./decisions";
import { byFolder, isListed, type ListedFile, nextToDecide, progressOf, rowsOf } from "./file_list";

const file = (path: string): ListedFile => ({ path, added: 1, removed: 0, hunks: [1] });

describe("progressOf", () => {
  it("tells a file that is decided one way from one that is so in part", () => {
    const hunks = [1, 2, 3];
    expect(progressOf(undecided, hunks)).toEqual({ state: "undecided", left: 3 });
    const one = decide(undecided, [1], "accepted");
    expect(progressOf(one, hunks)).toEqual({ state: "partly", left: 2 });
    expect(progressOf(decide(one, [2, 3], "accepted"), hunks)).toEqual({ state: "accepted", left: 0 });
    expect(progressOf(decide(one, [2, 3], "rejected"), hunks)).toEqual({ state: "partly", left: 0 });
    expect(progressOf(decide(one, hunks, "rejected"), hunks)).toEqual({ state: "rejected", left: 0 });
    expect(progressOf(edit(decide(one, [2], "accepted"), 3, "x"), hunks)).toEqual({
      state: "edited",
      left: 0,
    });
    expect(progressOf(undo(edit(one, 2, "x"), [1, 2]), hunks)).toEqual({ state: "undecided", left: 3 });
  });

  it("has nothing to decide of a file without hunks", () => {
    expect(progressOf(undecided, [])).toEqual({ state: "undecided", left: 0 });
  });
});

describe("byFolder", () => {
  it("has each folder once, where its first file is in the diff", () => {
    const rows = rowsOf(["README.md", "src/a.rs", "src/b.rs", "src/x/c.rs", "src/d.rs"].map(file));
    const told = byFolder(rows).map(({ path, files }) => [path, files.map(({ file }) => file.at)]);
    expect(told).toEqual([
      ["", [0]],
      ["src/", [1, 2, 4]],
      ["src/x/", [3]],
    ]);
  });
});

describe("rowsOf", () => {
  it("has each file once, with the hunks and lines of all edits that change it", () => {
    const again: ListedFile = { path: "a.rs", added: 2, removed: 3, hunks: [2, 3] };
    expect(rowsOf([file("a.rs"), file("b.rs"), again])).toEqual([
      { path: "a.rs", added: 3, removed: 3, hunks: [1, 2, 3], at: 0 },
      { ...file("b.rs"), at: 1 },
    ]);
    expect(isListed([file("a.rs"), again, again, again])).toBe(false);
  });
});

describe("nextToDecide", () => {
  it("goes around the end, and stays where nothing is left", () => {
    expect(nextToDecide([1, 0, 2], 0)).toBe(2);
    expect(nextToDecide([1, 0, 2], 2)).toBe(0);
    expect(nextToDecide([1, 0, 0], 0)).toBe(0);
    expect(nextToDecide([], 0)).toBe(0);
  });
});
