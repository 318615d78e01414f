import { describe, expect, it } from "vitest";
import { type DiffHunk, parseDiff } from "../../components/diff/parse";
import { newSide, oldSide } from "../../components/diff/side";
import { canChooseLines, changedRows, chosenSide, endsLastLine } from "./lines";

function hunkOf(lines: string): DiffHunk {
  const count = (sign: string) =>
    lines.split("\n").filter((line) => line.startsWith(" ") || line.startsWith(sign));
  const head = `@@ -1,${count("-").length} +1,${count("+").length} @@\n`;
  const hunk = parseDiff(`--- a/x\n+++ b/x\n${head}${lines}`)[0]?.hunks[0];
  if (!hunk) throw new Error("no hunk");
  return hunk;
}
const none = "\\ No newline at end of file\n";
const off = (...rows: number[]) => new Set(rows);

describe("chosenSide", () => {
  it("is the new side with all lines, and the old one with none", () => {
    for (const lines of [
      " a\n-b\n+B\n+C\n d\n",
      "-a\r\n+A\r\n b\r\n",
      `-a\n-b\n${none}+A\n+b\n${none}`,
      "+a\n+b\n",
    ]) {
      const hunk = hunkOf(lines);
      expect(chosenSide(hunk, off())).toBe(newSide(hunk));
      expect(chosenSide(hunk, off(...changedRows(hunk)))).toBe(oldSide(hunk));
    }
  });

  it("leaves an added line out, and keeps a removed one in its place", () => {
    const hunk = hunkOf(" a\n-b\n-c\n+B\n+C\n d\n");
    expect(chosenSide(hunk, off(4))).toBe("a\nB\nd\n");
    expect(chosenSide(hunk, off(2))).toBe("a\nc\nB\nC\nd\n");
    expect(chosenSide(hunk, off(1, 3))).toBe("a\nb\nC\nd\n");
  });

  it("keeps CRLF", () => {
    const hunk = hunkOf(" a\r\n-b\r\n+B\r\n+C\r\n");
    expect(chosenSide(hunk, off(3))).toBe("a\r\nB\r\n");
    expect(chosenSide(hunk, off(1))).toBe("a\r\nb\r\nB\r\nC\r\n");
  });

  it("can be nothing", () => {
    expect(chosenSide(hunkOf("-a\n-b\n+c\n"), off(2))).toBe("");
  });
});

describe("a missing newline at the end", () => {
  it("stays missing where the last line stays", () => {
    const hunk = hunkOf(`-a\n+A\n b\n${none}`);
    expect(chosenSide(hunk, off(0))).toBe("a\nA\nb");
    const gone = hunkOf(`-a\n-b\n+A\n+b\n${none}`);
    expect(chosenSide(gone, off(0))).toBe("a\nA\nb");
    expect(chosenSide(gone, off(1, 3))).toBe("b\nA\n");
  });

  it("never lets two lines run together", () => {
    const hunk = hunkOf(`-a\n${none}+a\n+b\n`);
    expect(chosenSide(hunk, off(0, 1))).toBe("a\nb\n");
    expect(chosenSide(hunkOf(`-x\r\n-a\n${none}+y\r\n+b\n${none}`), off(1))).toBe("a\r\ny\r\nb");
  });

  it("is filled in as the engine does where the new side has one", () => {
    const hunk = hunkOf(`-a\n-b\n${none}+A\n+b\n`);
    expect(chosenSide(hunk, off(1, 2, 3))).toBe("b\n");
    expect(endsLastLine(hunk, off(1, 2, 3))).toBe(true);
    expect(endsLastLine(hunk, off(0))).toBe(false);
    const crlf = hunkOf(`-x\r\n-b\n${none}+X\r\n+b\r\n`);
    expect(chosenSide(crlf, off(1, 2, 3))).toBe("b\r\n");
  });
});

describe("canChooseLines", () => {
  it("is not for one line, mixed endings, and what is no text", () => {
    expect(canChooseLines(hunkOf("-a\n+b\n"))).toBe(true);
    expect(canChooseLines(hunkOf(`-a\r\n+b\r\n c\n${none}`))).toBe(true);
    expect(canChooseLines(hunkOf(" a\n+b\n"))).toBe(false);
    expect(canChooseLines(hunkOf("-a\r\n+a\n"))).toBe(false);
    expect(canChooseLines(hunkOf("-a\ufffd\n+a\n"))).toBe(false);
    expect(canChooseLines(hunkOf(`-a\r\n${none}+b\r\n+c\r\n`.replace("-a\r\n", "-a\r\n")))).toBe(false);
  });
});
