import { describe, expect, it } from "vitest";
import { previewFiles } from "../../components/diff/preview_files";
import type { DecidedApproval } from "../../protocol/approvals";
import { previewOf } from "../../testing/scenes";
import { fatesOf } from "./fates";

const binary = "diff --git a/a.png b/a.png\nBinary files a/a.png and b/a.png differ\n";
const text = "diff --git a/b b/b\n--- a/b\n+++ b/b\n@@ -1 +1 @@\n-a\n+A\n@@ -9 +9 @@\n-b\n+B\n";
const shown = previewOf(binary + text);
/** The engine numbers the binary file too. */
const preview = {
  ...shown,
  hunks: [
    { index: 1, path: "a.png", oldStart: 0, oldLines: 0, newStart: 0, newLines: 0 },
    ...shown.hunks.map((hunk) => ({ ...hunk, index: hunk.index + 1 })),
  ],
};

function fates(of: Partial<DecidedApproval>, given = preview) {
  const decided = {
    decision: "approve",
    superseded: false,
    failedCalls: [],
    hunks: null,
    preview: given,
    edited: {},
    ...of,
  } as DecidedApproval;
  return previewFiles(given).map((file) => fatesOf(decided, file).join(" "));
}

describe("what became of a change", () => {
  it("counts a file without lines as the engine does", () => {
    expect(fates({ hunks: [2] })).toEqual(["rejected", "accepted rejected"]);
    expect(fates({ hunks: [1, 3], edited: { 3: "x" } })).toEqual(["accepted", "rejected edited"]);
    expect(fates({})).toEqual(["accepted", "accepted accepted"]);
  });

  it("is nothing where it was rejected, or the file changed first", () => {
    expect(fates({ decision: "reject" })).toEqual(["rejected", "rejected rejected"]);
    expect(fates({ superseded: true, edited: { 2: "x" } })).toEqual(["rejected", "rejected rejected"]);
  });

  it("is nothing for the hunks of an accepted call that failed, in a group for that call's alone", () => {
    const [png, ...others] = preview.hunks.map((hunk, place) => ({
      ...hunk,
      callId: place < 1 ? "base" : "top",
    }));
    const grouped = { ...preview, hunks: png ? [png, ...others] : others };
    expect(fates({ hunks: [1, 3], failedCalls: ["top"] }, grouped)).toEqual([
      "accepted",
      "rejected unwritten",
    ]);
    expect(fates({ callId: "c", failedCalls: ["c"] })).toEqual(["unwritten", "unwritten unwritten"]);
  });

  it("keeps the diff's own numbers where the preview names no hunks", () => {
    expect(fates({ hunks: [1] }, { ...shown, hunks: [] })).toEqual(["accepted", "accepted rejected"]);
  });
});
