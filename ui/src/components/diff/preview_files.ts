/** Changes without lines, which are decided as a whole: where they stand among the hunks, and the words for them. */
import type { ChangePreview, Hunk } from "../../protocol/generated";
import { type DiffFile, type DiffHunk, parseDiff } from "./parse";

/** The files of a preview, one for each edit that changes it, with all hunks under the numbers that decisions use. */
export function previewFiles(preview: Pick<ChangePreview, "diff" | "hunks">): DiffFile[] {
  const groups: Hunk[][] = [];
  for (const hunk of preview.hunks) {
    const own = groups.at(-1);
    if (own?.[0] && isBeside(own[0], hunk)) own.push(hunk);
    else groups.push([hunk]);
  }
  return parseDiff(preview.diff ?? "").map((file) => {
    // Several edits under one review may change the same file, one after the other.
    const at = groups.findIndex(([hunk]) => hunk?.path === file.path);
    return withHunks(file, at === -1 ? [] : (groups.splice(at, 1)[0] ?? []));
  });
}

const isBeside = (one: Hunk, other: Hunk) => one.path === other.path && one.callId === other.callId;

/** The number of files, however many edits change each. */
export const distinctFiles = (files: readonly { path: string }[]): number =>
  new Set(files.map(({ path }) => path)).size;

/** The files of a change that isn't shown here, by where they will be: one that is moved is one file. */
export const previewPaths = ({
  hunks,
  filesAffected,
}: Pick<ChangePreview, "hunks" | "filesAffected">): string[] =>
  hunks.length > 0 ? [...new Set(hunks.map(({ path }) => path))] : filesAffected;

/** The places of files that an earlier edit under the same review changes too: these changes come on top of its. */
export function placesOnTop(files: readonly { path: string }[]): ReadonlySet<number> {
  const first = new Map([...files.entries()].reverse().map(([at, { path }]) => [path, at]));
  return new Set(files.flatMap(({ path }, at) => (first.get(path) === at ? [] : [at])));
}

/** `own`: the preview's hunks of the file. Of a diff that is not all read yet, the first ones. */
export function withHunks(file: DiffFile, own: readonly Hunk[]): DiffFile {
  const wholes = own.filter(isWhole);
  const lined = own.filter((hunk) => !isWhole(hunk));
  const [line] = file.hunks;
  const [first] = wholes;
  if (line && first && lined.length === 0) {
    return { ...file, hunks: [{ ...line, index: first.index, what: first.what ?? "link" }] };
  }
  if (own.length === 0 || file.hunks.length > lined.length) return file;
  const hunks = file.hunks.map((hunk, at) => ({ ...hunk, index: lined[at]?.index ?? hunk.index }));
  return { ...file, hunks: [...wholes.map((hunk) => wholeHunk(hunk, file)), ...hunks] };
}

const isWhole = (hunk: Hunk) => hunk.oldLines === 0 && hunk.newLines === 0;

function wholeHunk({ index, what }: Hunk, file: DiffFile): DiffHunk {
  // Earlier versions didn't say what.
  const kind = what ?? (file.binary ? "binary" : "empty");
  return { index, oldStart: 0, oldLines: 0, newStart: 0, newLines: 0, section: "", lines: [], what: kind };
}
