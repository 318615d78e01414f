import { describe, expect, it } from "vitest";
import { alignLines, changedWords } from "./align";
import { type DiffHunk, parseDiff } from "./parse";
import { markLines, parts, splitRows } from "./rows";
import { newSide, restoreEndings, usesCrlf, withNewSide } from "./side";

const only = (diff: string): DiffHunk => {
  const hunk = parseDiff(diff)[0]?.hunks[0];
  if (!hunk) throw new Error("no hunk");
  return hunk;
};
const texts = (hunk: DiffHunk) => hunk.lines.map((line) => `${line.kind[0]}${line.text}`);

describe("parseDiff", () => {
  it("numbers hunks across files and lines on both sides", () => {
    const files = parseDiff(
      "--- a/x.rs\n+++ b/x.rs\n@@ -1,2 +1,3 @@ fn x\n a\n-b\n+c\n+d\n@@ -9 +10 @@\n-q\n+r\n--- a/y\n+++ b/y\n@@ -0,0 +1 @@\n+z\n",
    );
    expect(files.map((file) => [file.path, file.added, file.removed])).toEqual([
      ["x.rs", 3, 2],
      ["y", 1, 0],
    ]);
    expect(files.flatMap((file) => file.hunks.map((hunk) => hunk.index))).toEqual([1, 2, 3]);
    expect(files[0]?.hunks[0]).toMatchObject({ section: "fn x", oldStart: 1, newLines: 3 });
    expect(files[0]?.hunks[0]?.lines.map((line) => [line.oldNumber, line.newNumber])).toEqual([
      [1, 1],
      [2, null],
      [null, 2],
      [null, 3],
    ]);
  });

  it("knows new, deleted and renamed files, with and without hunks", () => {
    const files = parseDiff(
      "diff --git a/new b/new\nnew file mode 100644\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+x\n" +
        "diff --git a/old b/old\ndeleted file mode 100644\n--- a/old\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n" +
        "diff --git a/was.rs b/is.rs\nsimilarity index 100%\nrename from was.rs\nrename to is.rs\n" +
        "diff --git a/p.png b/p.png\nBinary files a/p.png and b/p.png differ\n",
    );
    expect(files.map(({ path, oldPath, change, binary }) => ({ path, oldPath, change, binary }))).toEqual([
      { path: "new", oldPath: null, change: "added", binary: false },
      { path: "old", oldPath: null, change: "deleted", binary: false },
      { path: "is.rs", oldPath: "was.rs", change: "renamed", binary: false },
      { path: "p.png", oldPath: null, change: "modified", binary: true },
    ]);
  });

  it("knows symbolic links, made, gone and in place of a file", () => {
    const body = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n";
    const isLink = (head: string) => parseDiff(`diff --git a/x b/x\n${head}${body}`)[0]?.isLink;
    expect(isLink("new file mode 120000\n")).toBe(true);
    expect(isLink("deleted file mode 120000\n")).toBe(true);
    expect(isLink("old mode 100644\nnew mode 120000\n")).toBe(true);
    expect(isLink("old mode 120000\nnew mode 100644\n")).toBe(true);
    expect(isLink("index 1234567..89abcde 120000\n")).toBe(true);
    expect(isLink("new file mode 100644\n")).toBe(false);
    expect(isLink("index 1200001..89abcde 100644\n")).toBe(false);
  });

  it("marks the missing newline on the side that lacks it", () => {
    const hunk = only("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n");
    expect(hunk.lines.map((line) => [line.kind, line.noNewline])).toEqual([
      ["removed", true],
      ["added", false],
    ]);
  });

  it("keeps carriage returns as content", () => {
    const hunk = only("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n");
    expect(texts(hunk)).toEqual(["ca\r", "rb\r", "ac\r"]);
  });

  it("takes content that looks like a header as content", () => {
    const hunk = only(
      "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- a/evil\n-++ b/evil\n+@@ -1 +1 @@\n+diff --git a/q b/q\n",
    );
    expect(texts(hunk)).toEqual(["r-- a/evil", "r++ b/evil", "a@@ -1 +1 @@", "adiff --git a/q b/q"]);
    expect(
      parseDiff("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- a/evil\n-++ b/evil\n+@@ -1 +1 @@\n+d\n"),
    ).toHaveLength(1);
  });

  it("reads quoted and unprefixed paths, and nothing out of nonsense", () => {
    expect(parseDiff('--- "a/\\303\\274.txt"\n+++ "b/\\303\\274.txt"\n@@ -1 +1 @@\n-a\n+b\n')[0]?.path).toBe(
      "ü.txt",
    );
    expect(parseDiff("--- src/x\n+++ src/x\n@@ -1 +1 @@\n-a\n+b\n")[0]?.path).toBe("src/x");
    expect(parseDiff("hello\n@@ nonsense\n")).toEqual([]);
  });
});

describe("the new side of a hunk", () => {
  const crlf = only("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n");
  const open = only("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n\\ No newline at end of file\n");

  it("is its context and added lines, exactly", () => {
    expect(newSide(crlf)).toBe("a\r\nc\r\n");
    expect(newSide(open)).toBe("a\nc");
    expect([usesCrlf("a\r\nb\r\n"), usesCrlf("a\nb\n"), usesCrlf("")]).toEqual([true, false, false]);
  });

  it("comes back from a text area with its endings", () => {
    expect(restoreEndings("a\nmine", newSide(crlf))).toBe("a\r\nmine\r\n");
    expect(restoreEndings("a\nmine", newSide(open))).toBe("a\nmine");
    expect(restoreEndings("", "a\n")).toBe("");
  });

  it("shows the user's text against the old side", () => {
    const edited = withNewSide(
      only("--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n-b\n+c\n d\n"),
      "a\nmine\nd\nmore\n",
    );
    expect(texts(edited)).toEqual(["ca", "rb", "amine", "cd", "amore"]);
    expect(edited.lines.at(-1)?.newNumber).toBe(4);
    expect(newSide(edited)).toBe("a\nmine\nd\nmore\n");
  });
});

describe("rows", () => {
  it("mark only the words that differ", () => {
    expect(changedWords("let widget = new(area);", "let panel = new(area);")).toEqual({
      before: [[4, 10]],
      after: [[4, 9]],
    });
    expect(changedWords("entirely", "different words")).toBeNull();
  });

  it("compare a line with the added line that is like it, not with the first", () => {
    const hunk = only(
      "--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-nodes.filter(Kind::Widget)\n+// A comment.\n+nodes.filter(Kind::Panel)\n",
    );
    expect(markLines(hunk).map((line) => line.changed)).toEqual([[[19, 25]], [], [[19, 24]]]);
  });

  it("pair removed with added lines side by side", () => {
    const hunk = only("--- a/x\n+++ b/x\n@@ -1,3 +1,2 @@\n-one\n-two\n+uno\n ctx\n");
    expect(splitRows(markLines(hunk)).map((row) => [row.left?.text, row.right?.text])).toEqual([
      ["one", "uno"],
      ["two", undefined],
      ["ctx", "ctx"],
    ]);
  });

  it("cut a line where colour or change begins, losing nothing", () => {
    const hunk = only("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-let widget = 1;\n+let panel = 1;\n");
    const line = markLines(hunk)[1];
    if (!line) throw new Error("no line");
    const cut = parts(line, [
      { text: "let ", color: "red" },
      { text: "panel = 1;", color: null },
    ]);
    expect(cut.map((part) => [part.text, part.changed])).toEqual([
      ["let ", false],
      ["panel", true],
      [" = 1;", false],
    ]);
    expect(cut.map((part) => part.text).join("")).toBe(line.text);
  });

  it("align around the longest common part", () => {
    expect(alignLines(["a", "b", "c"], ["b", "x", "c"])).toEqual([
      [1, 0],
      [2, 2],
    ]);
    expect(alignLines([], ["a"])).toEqual([]);
  });
});
