/** Comments on single lines of a change, and the note in which the model reads them. Pure. */

export type CommentedLine = {
  hunk: number;
  /** The line's place in its hunk. */
  row: number;
  path: string;
  /** Its number in the new file, or in the old one if it is removed. */
  line: number;
  removed: boolean;
};
export type LineComment = CommentedLine & { text: string };

const isOn = (at: CommentedLine) => (one: LineComment) => one.hunk === at.hunk && one.row === at.row;

export function commentOn(comments: readonly LineComment[], at: CommentedLine): string {
  return comments.find(isOn(at))?.text ?? "";
}

const none: readonly LineComment[] = [];

/** One and the same where there are none: a hunk without comments is not drawn anew for those of others. */
export function ofHunk(comments: readonly LineComment[], hunk: number): readonly LineComment[] {
  const own = comments.filter((one) => one.hunk === hunk);
  return own.length === 0 ? none : own;
}

/** In the order of the lines. Without a text it is taken away. */
export function withComment(comments: readonly LineComment[], at: CommentedLine, text: string) {
  const others = comments.filter((one) => !isOn(at)(one));
  if (text === "") return others;
  return [...others, { ...at, text }].sort((a, b) => a.hunk - b.hunk || a.row - b.row);
}

/** Blank ones are not sent. */
export const toSend = (comments: readonly LineComment[]) => comments.filter(({ text }) => text.trim() !== "");

/** The user's note, then each comment on a line of its own: `path:line: words`, or `path:line (removed): words`. */
export function noteWith(note: string, comments: readonly LineComment[]): string {
  const lines = toSend(comments).map(
    ({ path, line, removed, text }) =>
      `${pathName(path)}:${line}${removed ? " (removed)" : ""}: ${oneLine(text)}`,
  );
  return [note.trim(), ...lines].filter((line) => line !== "").join("\n");
}

const plainPath = /^[\p{L}\p{N}_./@+-]+$/u;

/** A name that could be read as more than a name stands in quotes, with an escape for each character that hides. */
function pathName(path: string): string {
  if (plainPath.test(path)) return path;
  return JSON.stringify(path).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (hidden) =>
    hidden.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
  );
}

const oneLine = (text: string) => text.trim().replace(/\s*[\r\n\u0085\u2028\u2029]+\s*/g, " ");
