/**
 * Single lines of a hunk, taken or left. What is taken is sent as the hunk's edited new side: byte for byte what the
 * file will have, which the engine keeps as long as all lines of the hunk end alike. Pure.
 */
import type { DiffHunk, DiffLine } from "../../components/diff/parse";
import { newSide, oldSide } from "../../components/diff/side";
import type { Selection } from "./decisions";

/** The places of the lines that the hunk adds or removes. */
export function changedRows(hunk: DiffHunk): number[] {
  return hunk.lines.flatMap((line, row) => (line.kind === "context" ? [] : [row]));
}

/** A character that stands for bytes that are no text. */
const replacement = "\ufffd";

/** Not where the result could differ from what is shown: mixed line endings, or content that is not all text. */
export function canChooseLines(hunk: DiffHunk): boolean {
  if (changedRows(hunk).length < 2) return false;
  const ended = hunk.lines.filter((line) => !line.noNewline);
  const crlf = ended.filter((line) => line.text.endsWith("\r")).length;
  return (
    (crlf === 0 || crlf === ended.length) &&
    !hunk.lines.some(
      (line) => line.text.includes(replacement) || (line.noNewline && line.text.endsWith("\r")),
    )
  );
}

/** Null where no line is left out. */
export function selectionOf(hunk: DiffHunk, off: ReadonlySet<number>): Selection | null {
  if (off.size === 0) return null;
  return { off: [...off], text: chosenSide(hunk, off), taken: changedRows(hunk).length - off.size };
}

/** The hunk's new side if the changes at `off` are left out: an added line is not there, a removed one stays. */
export function chosenSide(hunk: DiffHunk, off: ReadonlySet<number>): string {
  const text = exactSide(hunk, off);
  return addsNewline(hunk, text) ? text + eolOf(hunk) : text;
}

/** Each changed line says whether it is taken. */
export function withBoxes(hunk: DiffHunk, off: readonly number[]): DiffHunk {
  const left = new Set(off);
  const boxed = (line: DiffLine, row: number) =>
    line.kind === "context" ? line : { ...line, isTaken: !left.has(row) };
  return { ...hunk, lines: hunk.lines.map(boxed) };
}

/** Whether the engine ends the last line, which had no end: a hunk whose new side ends with a newline still does. */
export function endsLastLine(hunk: DiffHunk, off: ReadonlySet<number>): boolean {
  return addsNewline(hunk, exactSide(hunk, off));
}

function exactSide(hunk: DiffHunk, off: ReadonlySet<number>): string {
  const isKept = (line: DiffLine, row: number) =>
    line.kind === "context" || (line.kind === "added") !== off.has(row);
  const kept = hunk.lines.filter(isKept);
  const last = kept.length - 1;
  return kept.map((line, at) => line.text + endOf(line, at === last, eolOf(hunk))).join("");
}

function endOf(line: DiffLine, isLast: boolean, eol: string): string {
  if (!line.noNewline) return "\n";
  return isLast ? "" : eol;
}

function addsNewline(hunk: DiffHunk, text: string): boolean {
  const after = newSide(hunk);
  const known = after === "" ? oldSide(hunk) : after;
  return known.endsWith("\n") && text !== "" && !text.endsWith("\n");
}

const eolOf = (hunk: DiffHunk) =>
  hunk.lines.some((line) => !line.noNewline && line.text.endsWith("\r")) ? "\r\n" : "\n";
