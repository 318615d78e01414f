/** The lines around a hunk, fetched as they are asked for. They are context alone: no decision is about them. */
import { t } from "@lingui/core/macro";
import { useMemo, useRef, useState } from "react";
import type { DiffHunk, DiffLine } from "../../components/diff/parse";
import { useArki } from "../../platform/context";
import { asCommandError, windowError } from "../../platform/platform";
import type { CommandError } from "../../protocol/generated";

/** What can be shown around a hunk, in lines of the file before the change, counted from 1. */
export type Room = {
  first: number;
  /** Null: the file's last line, whichever that is. */
  last: number | null;
};

/** As many lines as a diff has below a change, where the file has them. */
const contextLines = 3;

/** For each hunk of a file. Two neighbours have a half each of what lies between them: no line is shown twice. */
export function roomsOf(hunks: readonly DiffHunk[]): Room[] {
  const middle = (above: DiffHunk, below: DiffHunk) =>
    Math.ceil((above.oldStart + above.oldLines + below.oldStart) / 2);
  return hunks.map((hunk, at) => {
    const [before, after] = [hunks[at - 1], hunks[at + 1]];
    return {
      first: before ? middle(before, hunk) : 1,
      last: after ? middle(hunk, after) - 1 : endOfFile(hunk),
    };
  });
}

/** The file's last line where the hunk has it; null where the file may go on below, or not all of the hunk has come. */
function endOfFile(hunk: DiffHunk): number | null {
  const changed = hunk.lines.findLastIndex((line) => line.kind !== "context");
  const below = hunk.lines.length - 1 - changed;
  const come = hunk.lines.filter((line) => line.kind !== "added").length;
  if (below >= contextLines || come < hunk.oldLines) return null;
  return hunk.oldStart + hunk.oldLines - 1;
}

type Lines = { above: readonly string[]; below: readonly string[]; total: number | null };
const none: Lines = { above: [], below: [], total: null };

/** Shown at one press. */
const step = 20;

/** Null as the room where there is nothing to fetch, as of a new file. */
export function useSurroundings(approvalId: string, path: string, hunk: DiffHunk, room: Room | null) {
  const { platform } = useArki();
  const [lines, setLines] = useState(none);
  const [error, setError] = useState<CommandError | null>(null);
  const isFetching = useRef(false);
  const top = hunk.oldStart - lines.above.length;
  const bottom = hunk.oldStart + hunk.oldLines - 1 + lines.below.length;
  const last = room?.last ?? lines.total;
  const hasAbove = room !== null && hunk.oldLines > 0 && top > room.first;
  const hasBelow = room !== null && hunk.oldLines > 0 && (last === null || bottom < last);
  const olds = hunk.lines.filter((line) => line.kind !== "added");
  const fetch = async (from: number, count: number, known: { at: number; text: string | undefined }) => {
    // A second press is about the lines that were shown at the first.
    if (isFetching.current) return null;
    isFetching.current = true;
    setError(null);
    try {
      const context = await platform.call("review_context", { approvalId, path, from, lines: count });
      const same = (text: string | undefined) => text?.replace(/\r$/, "");
      if (known.text !== undefined && same(context.lines[known.at]) !== same(known.text)) throw changed(path);
      return context;
    } catch (thrown) {
      setError(asCommandError(thrown));
      return null;
    } finally {
      isFetching.current = false;
    }
  };
  const up = async () => {
    const from = Math.max(room?.first ?? 1, top - step);
    const known = { at: top - from, text: lines.above[0] ?? olds[0]?.text };
    const context = await fetch(from, top - from + 1, known);
    if (context === null) return;
    const more = context.lines.slice(0, top - from);
    setLines((now) => ({ ...now, above: [...more, ...now.above] }));
  };
  const down = async () => {
    const known = { at: 0, text: lines.below.at(-1) ?? olds.at(-1)?.text };
    const to = Math.min(last ?? Number.MAX_SAFE_INTEGER, bottom + step);
    const context = await fetch(bottom, to - bottom + 1, known);
    if (context === null) return;
    setLines((now) => ({ ...now, below: [...now.below, ...context.lines.slice(1)], total: context.total }));
  };
  const shown = useMemo(() => withSurroundings(hunk, lines), [hunk, lines]);
  return {
    /** With its surroundings as the hunk is drawn; decisions are about the hunk alone. */
    around: (own: DiffHunk) => (own === hunk ? shown : withSurroundings(own, lines)),
    up: hasAbove ? up : null,
    down: hasBelow ? down : null,
    error,
  };
}

function changed(path: string): CommandError {
  const message = t`${path} has changed since this preview was made.`;
  return windowError(message, t`Decide anyway: you get a fresh preview.`);
}

export function withSurroundings(hunk: DiffHunk, { above, below }: Omit<Lines, "total">): DiffHunk {
  if (above.length === 0 && below.length === 0) return hunk;
  const line = (text: string, oldNumber: number, newNumber: number): DiffLine => ({
    kind: "context",
    text,
    oldNumber,
    newNumber,
    noNewline: false,
  });
  const [oldTop, newTop] = [hunk.oldStart - above.length, hunk.newStart - above.length];
  const [oldEnd, newEnd] = [hunk.oldStart + hunk.oldLines, hunk.newStart + hunk.newLines];
  const count = above.length + below.length;
  return {
    ...hunk,
    oldStart: oldTop,
    newStart: newTop,
    oldLines: hunk.oldLines + count,
    newLines: hunk.newLines + count,
    lines: [
      ...above.map((text, at) => line(text, oldTop + at, newTop + at)),
      ...hunk.lines,
      ...below.map((text, at) => line(text, oldEnd + at, newEnd + at)),
    ],
  };
}
