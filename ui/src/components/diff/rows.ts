/** Lines of a hunk as rows to draw: paired for the split view, with changed words and colours cut to spans. */
import type { Span } from "../code/highlight";
import { changedWords, type Range } from "./align";
import type { DiffHunk, DiffLine } from "./parse";

export type MarkedLine = DiffLine & { changed: readonly Range[] };
export type SplitRow = { left: MarkedLine | null; right: MarkedLine | null };
export type Part = { text: string; offset: number; color: string | null; changed: boolean };

/** Marks, in each block of removed and then added lines, the words in which a line differs from its successor. */
export function markLines(hunk: DiffHunk): MarkedLine[] {
  const marked: MarkedLine[] = hunk.lines.map((line) => ({ ...line, changed: [] }));
  for (const block of changeBlocks(marked)) markBlock(block);
  return marked;
}

type Block = { removed: MarkedLine[]; added: MarkedLine[] };

/** A removed line's successor is the next added line that is like it; both sides keep their order. */
function markBlock({ removed, added }: Block): void {
  // In a long block the search would cost more than it shows.
  const reach = removed.length * added.length > maxPairs ? 1 : added.length;
  let from = 0;
  for (const before of removed) {
    for (let at = from; at < Math.min(added.length, from + reach); at += 1) {
      const after = added[at];
      const words = after ? changedWords(before.text, after.text) : null;
      if (!after || !words) continue;
      before.changed = words.before;
      after.changed = words.after;
      from = at + 1;
      break;
    }
  }
}

const maxPairs = 400;

function changeBlocks(lines: MarkedLine[]): Block[] {
  const blocks: Block[] = [];
  let previous: DiffLine["kind"] = "context";
  for (const line of lines) {
    if (line.kind === "removed" && previous !== "removed") blocks.push({ removed: [], added: [] });
    if (line.kind === "added" && previous === "context") blocks.push({ removed: [], added: [] });
    if (line.kind !== "context") blocks.at(-1)?.[line.kind].push(line);
    previous = line.kind;
  }
  return blocks;
}

export function splitRows(lines: readonly MarkedLine[]): SplitRow[] {
  const rows: SplitRow[] = [];
  let removed: MarkedLine[] = [];
  let added: MarkedLine[] = [];
  const flush = () => {
    for (let i = 0; i < Math.max(removed.length, added.length); i += 1) {
      rows.push({ left: removed[i] ?? null, right: added[i] ?? null });
    }
    removed = [];
    added = [];
  };
  for (const line of lines) {
    if (line.kind === "context") {
      flush();
      rows.push({ left: line, right: line });
    } else if (line.kind === "removed") {
      if (added.length > 0) flush();
      removed.push(line);
    } else added.push(line);
  }
  flush();
  return rows;
}

/** The line cut where its colour or its changed state changes. */
export function parts(line: MarkedLine, spans: readonly Span[] | null): Part[] {
  const colors = spans ?? [{ text: line.text, color: null }];
  const out: Part[] = [];
  let at = 0;
  for (const span of colors) {
    const end = at + span.text.length;
    for (const [from, to, changed] of cut(at, end, line.changed)) {
      out.push({ text: line.text.slice(from, to), offset: from, color: span.color, changed });
    }
    at = end;
  }
  if (at < line.text.length) out.push({ text: line.text.slice(at), offset: at, color: null, changed: false });
  return out;
}

function cut(from: number, to: number, changed: readonly Range[]): [number, number, boolean][] {
  const out: [number, number, boolean][] = [];
  let at = from;
  for (const [start, end] of changed) {
    if (end <= at || start >= to) continue;
    if (start > at) out.push([at, start, false]);
    out.push([Math.max(start, at), Math.min(end, to), true]);
    at = Math.min(end, to);
  }
  if (at < to) out.push([at, to, false]);
  return out;
}

/** Colours by line number of each side, from tokenising each side of the hunk as one text. */
export function sideTexts(hunk: DiffHunk): { before: string; after: string } {
  const without = (kind: DiffLine["kind"]) =>
    hunk.lines
      .filter((line) => line.kind !== kind)
      .map((line) => line.text.replace(/\r$/, ""))
      .join("\n");
  return { before: without("added"), after: without("removed") };
}
