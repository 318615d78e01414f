import { expect, it } from "vitest";
import type { Hunk } from "../../protocol/generated";
import { placesOnTop, previewFiles, previewPaths } from "./preview_files";

const hunk = (index: number, path: string, callId: string): Hunk => ({
  index,
  path,
  oldStart: 1,
  oldLines: 1,
  newStart: 1,
  newLines: 1,
  callId,
});
const part = (path: string) =>
  `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-a\n+b\n`;

it("gives each of several edits of one file its own hunks", () => {
  const files = previewFiles({
    diff: ["a", "a", "b", "a"].map(part).join(""),
    hunks: [hunk(1, "a", "1"), hunk(2, "a", "2"), hunk(3, "b", "3"), hunk(4, "a", "4")],
  });
  expect(files.map((file) => file.hunks.map(({ index }) => index))).toEqual([[1], [2], [3], [4]]);
  expect([...placesOnTop(files)]).toEqual([1, 3]);
});

it("names a moved file once, where it will be, and the affected files where there are no hunks", () => {
  const filesAffected = ["new", "old"];
  expect(previewPaths({ filesAffected, hunks: [hunk(1, "new", "1"), hunk(2, "new", "1")] })).toEqual(["new"]);
  expect(previewPaths({ filesAffected, hunks: [] })).toEqual(filesAffected);
});
