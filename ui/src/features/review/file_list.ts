/** The files of a change as a list: what has been decided of each, and how they stand in their folders. Pure. */
import type { Decisions } from "./decisions";

export type ListedFile = {
  path: string;
  added: number;
  removed: number;
  /** None where the file is decided with the whole, as a renamed one is. */
  hunks: readonly number[];
};

/** `partly`: some hunks are undecided, or not all were decided alike. */
export type FileState = "undecided" | "accepted" | "edited" | "rejected" | "partly";
export type FileProgress = { state: FileState; left: number };

/** A file with all edits that change it; `at`: the place of the first. */
export type ListedRow = ListedFile & { at: number };

const folderOf = ({ path }: ListedFile) => path.slice(0, path.lastIndexOf("/") + 1);

/** One row for each file. Those of a folder stand together, where its first one is in the diff. */
export function rowsOf(files: readonly ListedFile[]): ListedRow[] {
  const rows = new Map<string, ListedRow>();
  files.forEach((file, at) => {
    const row = rows.get(file.path);
    rows.set(file.path, row ? { ...row, ...summed(row, file) } : { ...file, at });
  });
  const folders = new Map<string, ListedRow[]>();
  for (const row of rows.values()) folders.set(folderOf(row), [...(folders.get(folderOf(row)) ?? []), row]);
  return [...folders.values()].flat();
}

const summed = (one: ListedFile, other: ListedFile) => ({
  added: one.added + other.added,
  removed: one.removed + other.removed,
  hunks: [...one.hunks, ...other.hunks],
});

/** With fewer files the list would only say again what is in sight below it. */
const leastListed = 4;

export const isListed = (files: readonly ListedFile[]) =>
  new Set(files.map(({ path }) => path)).size >= leastListed;

export function progressOf(decisions: Decisions, hunks: readonly number[]): FileProgress {
  const made = hunks.flatMap((index) => decisions.of[index] ?? []);
  const left = hunks.length - made.length;
  if (made.length === 0) return { state: "undecided", left };
  const rejected = made.filter((one) => one === "rejected").length;
  if (left > 0 || (rejected > 0 && rejected < made.length)) return { state: "partly", left };
  if (rejected > 0) return { state: "rejected", left };
  return { state: made.includes("edited") ? "edited" : "accepted", left };
}

/**
 * The places of the files with something to decide, and of those without, which stand below. A file that several edits
 * change is decided with the last of them: they stay together. Where nothing is open any more all keeps its place.
 */
export function openFirst(files: readonly ListedFile[], decisions: Decisions) {
  const isOpen = ({ hunks }: ListedFile) =>
    hunks.length === 0 || hunks.some((index) => decisions.of[index] === undefined);
  const paths = new Set(files.filter(isOpen).map(({ path }) => path));
  const places = files.map((_, at) => at);
  if (paths.size === 0) return { open: places, decided: [] };
  const isBelow = (at: number) => !paths.has(files[at]?.path ?? "");
  return { open: places.filter((at) => !isBelow(at)), decided: places.filter(isBelow) };
}

export type Folder = { path: string; files: { file: ListedRow; at: number }[] };

/** The rows under their folders; `at`: the row's place among all. */
export function byFolder(rows: readonly ListedRow[]): Folder[] {
  const folders: Folder[] = [];
  rows.forEach((file, at) => {
    const path = folderOf(file);
    const last = folders.at(-1);
    if (last?.path === path) last.files.push({ file, at });
    else folders.push({ path, files: [{ file, at }] });
  });
  return folders;
}

/** The next file after `from` that has something to decide, around the end; `from` itself where there is none. */
export function nextToDecide(left: readonly number[], from: number): number {
  for (let step = 1; step < left.length; step += 1) {
    const at = (from + step) % left.length;
    if ((left[at] ?? 0) > 0) return at;
  }
  return from;
}
