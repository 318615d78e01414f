import { describe, expect, it } from "vitest";
import type { ChangePreview, Hunk } from "../../protocol/generated";
import { askedCounts, previewCounts } from "./EditOutcome";

const diff = `--- a/a.txt
+++ b/a.txt
@@ -1,2 +1,3 @@
 one
-two
+TWO
+more
@@ -9,1 +10,1 @@
-nine
+NINE
`;
const preview: ChangePreview = {
  filesAffected: ["a.txt"],
  linesChanged: 5,
  diff,
  hunks: [
    { index: 1, path: "a.txt", oldStart: 1, oldLines: 2, newStart: 1, newLines: 3 },
    { index: 2, path: "a.txt", oldStart: 9, oldLines: 1, newStart: 10, newLines: 1 },
  ],
  previewHash: "",
};

describe("the lines of an edit", () => {
  it("are all of them while it waits and where all was accepted or nothing", () => {
    expect(previewCounts(preview, null, "c")).toEqual({ added: 3, removed: 2 });
    for (const decision of ["approve", "reject"] as const)
      expect(previewCounts(preview, { decision, hunks: null, edited: {} }, "c")).toEqual({
        added: 3,
        removed: 2,
      });
  });

  it("are those that were written, with the user's own", () => {
    const decided = { decision: "approve", hunks: [2], edited: {} } as const;
    expect(previewCounts(preview, { ...decided, hunks: [2] }, "c")).toEqual({ added: 1, removed: 1 });
    const own = { decision: "approve", hunks: [1], edited: { 1: "one\ntwo\nthree\nfour\n" } } as const;
    expect(previewCounts(preview, { ...own, hunks: [1] }, "c")).toEqual({ added: 2, removed: 0 });
  });

  it("are those of the call alone where several were reviewed together", () => {
    const [one, two] = preview.hunks as [Hunk, Hunk];
    const group = {
      ...preview,
      hunks: [
        { ...one, callId: "c" },
        { ...two, callId: "d" },
      ],
    };
    expect(previewCounts(group, null, "c")).toEqual({ added: 2, removed: 1 });
    expect(previewCounts(group, null, "d")).toEqual({ added: 1, removed: 1 });
  });

  it("are unknown where the diff is elsewhere", () => {
    expect(previewCounts({ ...preview, diff: "" }, null, "c")).toBeNull();
  });

  it("are told by the call where nobody was asked, unless it depends on the file", () => {
    const edits = [
      { old_text: "a\nb\nc\n", new_text: "a\nB\nc\nd\n" },
      { old_text: "x", new_text: "" },
    ];
    expect(askedCounts({ args: { path: "a", edits }, changes: [] })).toEqual({ added: 2, removed: 2 });
    expect(
      askedCounts({ args: { path: "a", edits: [{ ...edits[0], replace_all: true }] }, changes: [] }),
    ).toBeNull();
  });

  it("are those of a new file where nobody was asked, and unknown where a file was there", () => {
    const args = { path: "a", content: "one\ntwo\n" };
    const changed = (beforeHash: string | null) => ({
      ...{ path: "a", beforeHash, afterHash: "1", callId: "c", hunks: [] },
    });
    expect(askedCounts({ args, changes: [changed(null)] })).toEqual({ added: 2, removed: 0 });
    expect(askedCounts({ args, changes: [changed("0")] })).toBeNull();
    expect(askedCounts({ args, changes: [] })).toBeNull();
  });
});
