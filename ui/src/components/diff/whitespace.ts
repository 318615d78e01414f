/** A hunk as it reads without changes of whitespace. For the eye alone: what is decided stays exact. Pure. */
import { alignLines } from "./align";
import type { DiffHunk, DiffLine } from "./parse";

/** Spaces that everybody knows. Rarer ones are content: hiding them would hide what they are used to hide. */
const blanks = /[ \t]+/g;
const ends = /^ | ?\r?$/g;

/**
 * As `git diff -b` compares, and without indentation: between words blanks count as one, since a word that parts
 * (`rm -rf /tmp/x`, `rm -rf / tmp/x`) is another command. A missing newline at the end stays a change.
 */
const without = (line: DiffLine) =>
  line.text.replace(blanks, " ").replace(ends, "") + (line.noNewline ? "" : "\n");

/** Lines that differ in whitespace alone become context, in their new form. */
export function withoutWhitespaceChanges(hunk: DiffHunk): DiffHunk {
  const lines: DiffLine[] = [];
  let removed: DiffLine[] = [];
  let added: DiffLine[] = [];
  const flush = () => {
    lines.push(...merged(removed, added));
    removed = [];
    added = [];
  };
  for (const line of hunk.lines) {
    if (line.kind === "context" || (line.kind === "removed" && added.length > 0)) flush();
    if (line.kind === "context") lines.push(line);
    else (line.kind === "removed" ? removed : added).push(line);
  }
  flush();
  return { ...hunk, lines };
}

/** The number of changed lines that look unchanged in `shown`. */
export function hiddenLines(exact: DiffHunk, shown: DiffHunk): number {
  return context(shown) - context(exact);
}

const context = (hunk: DiffHunk) => hunk.lines.filter((line) => line.kind === "context").length;

export const hasChanges = (hunk: DiffHunk) => hunk.lines.some((line) => line.kind !== "context");

function merged(removed: readonly DiffLine[], added: readonly DiffLine[]): DiffLine[] {
  const out: DiffLine[] = [];
  let [oldAt, newAt] = [0, 0];
  const same = alignLines(removed.map(without), added.map(without));
  for (const [oldIndex, newIndex] of [...same, [removed.length, added.length] as const]) {
    out.push(...removed.slice(oldAt, oldIndex), ...added.slice(newAt, newIndex));
    const before = removed[oldIndex];
    const after = added[newIndex];
    if (before && after) out.push({ ...after, kind: "context", oldNumber: before.oldNumber });
    [oldAt, newAt] = [oldIndex + 1, newIndex + 1];
  }
  return out;
}
