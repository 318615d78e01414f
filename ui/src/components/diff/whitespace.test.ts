import { describe, expect, it } from "vitest";
import { type DiffHunk, parseDiff } from "./parse";
import { hasChanges, hiddenLines, withoutWhitespaceChanges } from "./whitespace";

function shown(lines: string): { texts: string[]; hunk: DiffHunk; hidden: number } {
  const count = (sign: string) =>
    lines.split("\n").filter((line) => line && " ".concat(sign).includes(line.charAt(0))).length;
  const head = `@@ -3,${count("-")} +3,${count("+")} @@\n`;
  const before = parseDiff(`--- a/x\n+++ b/x\n${head}${lines}`)[0]?.hunks[0];
  if (!before) throw new Error("no hunk");
  const hunk = withoutWhitespaceChanges(before);
  return {
    hunk,
    hidden: hiddenLines(before, hunk),
    texts: hunk.lines.map(
      ({ kind, text, oldNumber, newNumber }) => `${kind[0]} ${oldNumber} ${newNumber} ${text}`,
    ),
  };
}

describe("withoutWhitespaceChanges", () => {
  it("shows an indented block as context in its new form, with both numbers", () => {
    const { texts, hunk } = shown(" fn\n-a\n-b\n+if x {\n+  a\n+  b\n+}\n end\n");
    expect(texts).toEqual([
      "c 3 3 fn",
      "a null 4 if x {",
      "c 4 5   a",
      "c 5 6   b",
      "a null 7 }",
      "c 6 8 end",
    ]);
    expect(hasChanges(hunk)).toBe(true);
  });

  it("leaves nothing of trailing spaces, tabs and carriage returns", () => {
    expect(hasChanges(shown("-a \n-\tb\n-c\r\n+a\n+    b\n+c\n").hunk)).toBe(false);
  });

  it("keeps words that part or join, and single carriage returns, form feeds and vertical tabs", () => {
    for (const [before, after] of [
      ["rm -rf /tmp/x", "rm -rf / tmp/x"],
      ["a b", "ab"],
      ["a\rb", "ab"],
      ["a\r", "a\r\r"],
      ["a", "a\f"],
      ["a", "\va"],
    ]) {
      expect(shown(`-${before}\n+${after}\n`).texts, before).toHaveLength(2);
      expect(shown(`-${after}\n+${before}\n`).texts, after).toHaveLength(2);
    }
  });

  it("makes one of several spaces and tabs", () => {
    expect(hasChanges(shown("-a b\n-c  \t d\n+a \t b\n+c d \t\r\n").hunk)).toBe(false);
  });

  it("counts the lines that it leaves out", () => {
    expect(shown("-a\n-b\n-c\n+ a\n+ b\n+d\n").hidden).toBe(2);
    expect(shown(" a\n-b\n+c\n").hidden).toBe(0);
  });

  it("keeps added empty lines, other kinds of spaces and a missing newline", () => {
    expect(shown("+\n").texts).toEqual(["a null 3 "]);
    expect(shown("-a b\n+a\u00a0b\n").texts).toHaveLength(2);
    expect(hasChanges(shown("-a\n+a\n\\ No newline at end of file\n").hunk)).toBe(true);
  });

  it("keeps real changes in their order", () => {
    expect(shown("-a\n-b\n+ a\n+c\n").texts).toEqual(["c 3 3  a", "r 4 null b", "a null 4 c"]);
  });
});
