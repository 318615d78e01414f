/**
 * Unified diffs, as git and our engine write them, into files, hunks and lines. Pure. Lines keep their exact
 * text, a carriage return included; a hunk's line counts, not its looks, say where it ends, so content that
 * resembles a header is content.
 */
import type { WholeChange } from "../../protocol/generated";

export type LineKind = "context" | "added" | "removed";
export type DiffLine = {
  kind: LineKind;
  text: string;
  oldNumber: number | null;
  newNumber: number | null;
  /** This line is the file's last and has no newline at its end. */
  noNewline: boolean;
  /** Of a change of which only some lines are taken, each line says whether it is. */
  isTaken?: boolean;
};
export type DiffHunk = {
  /** Counts from 1 across all files, in diff order: the index decisions use. */
  index: number;
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  section: string;
  lines: DiffLine[];
  /** The kind of a change that is decided as a whole; only a link's has a line. */
  what?: WholeChange;
};
export type FileChange = "modified" | "added" | "deleted" | "renamed" | "copied";
export type DiffFile = {
  path: string;
  oldPath: string | null;
  change: FileChange;
  binary: boolean;
  /** A symbolic link, before or after: its one line is where it leads. */
  isLink: boolean;
  /** Where its mode changes, both. */
  modes?: { before: string; after: string };
  hunks: DiffHunk[];
  added: number;
  removed: number;
};

const hunkHead = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/s;

export function parseDiff(diff: string): DiffFile[] {
  const lines = diff.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const files: DiffFile[] = [];
  let index = 0;
  let at = 0;
  let file: DiffFile | null = null;
  const open = (): DiffFile => {
    const next: DiffFile = {
      path: "",
      oldPath: null,
      change: "modified",
      binary: false,
      isLink: false,
      hunks: [],
      added: 0,
      removed: 0,
    };
    files.push(next);
    return next;
  };
  while (at < lines.length) {
    const line = lines[at] ?? "";
    const head = hunkHead.exec(line);
    if (head && file) {
      index += 1;
      const { hunk, end } = readHunk(lines, at + 1, head, index);
      file.hunks.push(hunk);
      file.added += count(hunk, "added");
      file.removed += count(hunk, "removed");
      at = end;
      continue;
    }
    if (line.startsWith("diff --git ")) {
      file = open();
      gitPaths(file, line);
    } else if (line.startsWith("--- ") && (lines[at + 1] ?? "").startsWith("+++ ")) {
      if (!file || file.hunks.length > 0) file = open();
      namePaths(file, headerPath(line), headerPath(lines[at + 1] ?? ""));
      at += 1;
    } else if (file) extendedHeader(file, line);
    at += 1;
  }
  return files.filter((one) => one.path !== "");
}

function readHunk(lines: string[], from: number, head: RegExpExecArray, index: number) {
  const oldLines = head[2] === undefined ? 1 : Number(head[2]);
  const newLines = head[4] === undefined ? 1 : Number(head[4]);
  const hunk: DiffHunk = {
    index,
    oldStart: Number(head[1]),
    oldLines,
    newStart: Number(head[3]),
    newLines,
    section: (head[5] ?? "").replace(/\r$/, ""),
    lines: [],
  };
  let oldNumber = hunk.oldStart;
  let newNumber = hunk.newStart;
  let at = from;
  for (; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    if (line.startsWith("\\")) {
      const last = hunk.lines.at(-1);
      if (last) last.noNewline = true;
      continue;
    }
    if (oldNumber - hunk.oldStart >= oldLines && newNumber - hunk.newStart >= newLines) break;
    const kind = kindOf(line);
    if (kind === null) break;
    hunk.lines.push({
      kind,
      text: line.slice(1),
      oldNumber: kind === "added" ? null : oldNumber,
      newNumber: kind === "removed" ? null : newNumber,
      noNewline: false,
    });
    if (kind !== "added") oldNumber += 1;
    if (kind !== "removed") newNumber += 1;
  }
  return { hunk, end: at };
}

/** Some writers strip the space of an empty context line. */
function kindOf(line: string): LineKind | null {
  if (line.startsWith("+")) return "added";
  if (line.startsWith("-")) return "removed";
  return line.startsWith(" ") || line === "" || line === "\r" ? "context" : null;
}

function count(hunk: DiffHunk, kind: LineKind): number {
  return hunk.lines.filter((line) => line.kind === kind).length;
}

function headerPath(line: string): string | null {
  const raw = line.slice(4).replace(/\r$/, "");
  const path = raw.startsWith('"') ? unquote(raw) : (raw.split("\t")[0] ?? raw);
  return path === "/dev/null" ? null : path;
}

function namePaths(file: DiffFile, before: string | null, after: string | null): void {
  const prefixed = (before === null || before.startsWith("a/")) && (after === null || after.startsWith("b/"));
  const strip = (path: string | null) => (path === null || !prefixed ? path : path.slice(2));
  const oldPath = strip(before);
  const newPath = strip(after);
  file.path = newPath ?? oldPath ?? file.path;
  if (before === null) file.change = "added";
  else if (after === null) file.change = "deleted";
  else if (oldPath !== newPath) {
    file.oldPath = oldPath;
    if (file.change === "modified") file.change = "renamed";
  }
}

/** `diff --git a/x b/x`: needed where no ---/+++ follows (renames, empty and binary files). */
function gitPaths(file: DiffFile, line: string): void {
  const rest = line.slice("diff --git ".length).replace(/\r$/, "");
  const quoted = /^("(?:[^"\\]|\\.)*"|\S+) ("(?:[^"\\]|\\.)*")$/.exec(rest);
  if (quoted?.[2]) {
    file.path = unquote(quoted[2]).replace(/^b\//, "");
    return;
  }
  // Both halves are the same path unless it is a rename, which names its paths itself.
  const half = rest.slice((rest.length + 1) / 2);
  file.path = half.replace(/^b\//, "");
}

/** Git's mode of a symbolic link, at the end of the header lines that have a mode. */
const linkMode = /^(?:(?:new file|deleted file|old|new) mode|index \S+) 120000$/;

function extendedHeader(file: DiffFile, raw: string): void {
  const line = raw.replace(/\r$/, "");
  const value = (prefix: string) => {
    const rest = line.slice(prefix.length);
    return rest.startsWith('"') ? unquote(rest) : rest;
  };
  if (linkMode.test(line)) file.isLink = true;
  if (line.startsWith("new file mode")) file.change = "added";
  else if (line.startsWith("deleted file mode")) file.change = "deleted";
  else if (line.startsWith("old mode ")) file.modes = { before: value("old mode "), after: "" };
  else if (line.startsWith("new mode ") && file.modes) file.modes.after = value("new mode ");
  else if (line.startsWith("rename from ")) file.oldPath = value("rename from ");
  else if (line.startsWith("rename to "))
    Object.assign(file, { path: value("rename to "), change: "renamed" });
  else if (line.startsWith("copy from ")) file.oldPath = value("copy from ");
  else if (line.startsWith("copy to ")) Object.assign(file, { path: value("copy to "), change: "copied" });
  else if (line.startsWith("Binary files ") || line.startsWith("GIT binary patch")) file.binary = true;
}

const escapes: Record<string, number> = { n: 10, t: 9, r: 13, a: 7, b: 8, f: 12, v: 11, '"': 34, "\\": 92 };

/** Git's C-style quoting: octal bytes of UTF-8 and the usual escapes. */
function unquote(quoted: string): string {
  const bytes: number[] = [];
  const inner = quoted.replace(/^"|"$/g, "");
  for (const part of inner.matchAll(/\\([0-7]{3})|\\(.)|([^\\]+)/gs)) {
    if (part[1] !== undefined) bytes.push(Number.parseInt(part[1], 8));
    else if (part[2] !== undefined) bytes.push(escapes[part[2]] ?? part[2].charCodeAt(0));
    else bytes.push(...new TextEncoder().encode(part[3] ?? ""));
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}
