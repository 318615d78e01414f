import { expect, it } from "vitest";
import { filesWords } from "./FootNotes";

it.each([
  [{ files: 1, added: 5, removed: 0 }, "1 file, +5"],
  [{ files: 2, added: 0, removed: 3 }, "2 files, −3"],
  [{ files: 2, added: 4, removed: 1 }, "2 files, +4 −1"],
  [{ files: 1, added: 0, removed: 0 }, "1 file"],
  [{ files: 1, added: null, removed: null }, "1 file"],
])("says how many lines a run changed, and never of none: %o", (lines, words) => {
  expect(filesWords({ sessionId: "s", ...lines })).toBe(words);
});
