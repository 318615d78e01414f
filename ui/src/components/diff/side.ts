/** One side of a hunk as text, and back: what "Edit hunk" shows and what it sends. Pure. */
import { alignLines } from "./align";
import type { DiffHunk, DiffLine } from "./parse";

/** The exact text of the new side: context and added lines, with their line endings. */
export function newSide(hunk: DiffHunk): string {
  return sideText(hunk.lines.filter((line) => line.kind !== "removed"));
}

/** The exact text of the old side: context and removed lines. */
export function oldSide(hunk: DiffHunk): string {
  return sideText(hunk.lines.filter((line) => line.kind !== "added"));
}

function sideText(lines: DiffLine[]): string {
  return lines.map((line) => line.text + (line.noNewline ? "" : "\n")).join("");
}

/** Whether the new side ends its lines with CRLF. A text area would silently turn those into LF. */
export function usesCrlf(text: string): boolean {
  const crlf = text.split("\r\n").length - 1;
  const lf = text.split("\n").length - 1;
  return lf > 0 && crlf * 2 > lf;
}

/** What a text area gave back, with the original's line endings and final newline. */
export function restoreEndings(edited: string, original: string): string {
  const lf = edited.replace(/\r\n?/g, "\n");
  const ended = original.endsWith("\n") && lf !== "" && !lf.endsWith("\n") ? `${lf}\n` : lf;
  return usesCrlf(original) ? ended.replace(/\n/g, "\r\n") : ended;
}

/** The hunk as it reads with the user's text on its new side. */
export function withNewSide(hunk: DiffHunk, text: string): DiffHunk {
  const old = hunk.lines.filter((line) => line.kind !== "added");
  const closed = text.endsWith("\n");
  const fresh = text === "" ? [] : (closed ? text.slice(0, -1) : text).split("\n");
  const lines: DiffLine[] = [];
  let oldAt = 0;
  let newAt = 0;
  const removed = () => {
    const line = old[oldAt];
    if (line) lines.push({ ...line, kind: "removed", newNumber: null });
    oldAt += 1;
  };
  const added = (kind: "added" | "context") => {
    const last = newAt === fresh.length - 1;
    lines.push({
      kind,
      text: fresh[newAt] ?? "",
      oldNumber: kind === "context" ? (old[oldAt]?.oldNumber ?? null) : null,
      newNumber: hunk.newStart + newAt,
      noNewline: last && !closed,
    });
    newAt += 1;
  };
  const same = alignLines(
    old.map(endedText),
    fresh.map((line, i) => line + (i === fresh.length - 1 && !closed ? "" : "\n")),
  );
  for (const [oldIndex, newIndex] of [...same, [old.length, fresh.length] as const]) {
    while (oldAt < oldIndex) removed();
    while (newAt < newIndex) added("added");
    if (oldAt < old.length && newAt < fresh.length) {
      added("context");
      oldAt += 1;
    }
  }
  return { ...hunk, newLines: fresh.length, lines };
}

const endedText = (line: DiffLine) => line.text + (line.noNewline ? "" : "\n");
