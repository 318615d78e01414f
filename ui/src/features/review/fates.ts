/** The fate of each part of a change that was decided. Pure. */
import { type DiffFile, parseDiff } from "../../components/diff/parse";
import type { DecidedApproval } from "../../protocol/approvals";
import type { ChangePreview } from "../../protocol/generated";
import type { Decision } from "./decisions";

/** `whole`: the number of a file that changes without lines that could be shown, such as a binary one. */
export type DecidedDiff = DiffFile & { whole: number | null };

/** The files under the numbers that decisions use, which count files without lines too. */
export function decidedFiles(preview: ChangePreview): DecidedDiff[] {
  return parseDiff(preview.diff ?? "").map((file) => {
    const own = preview.hunks.filter((hunk) => hunk.path === file.path);
    if (file.hunks.length === 0) return { ...file, whole: own.length === 1 ? (own[0]?.index ?? null) : null };
    if (file.hunks.length !== own.length) return { ...file, whole: null };
    const hunks = file.hunks.map((hunk, at) => ({ ...hunk, index: own[at]?.index ?? hunk.index }));
    return { ...file, hunks, whole: null };
  });
}

export const isWritten = (decided: DecidedApproval) => decided.decision === "approve" && !decided.superseded;

export function fateOf(decided: DecidedApproval, index: number): Decision {
  if (!isWritten(decided)) return "rejected";
  if (index in decided.edited) return "edited";
  return decided.hunks === null || decided.hunks.includes(index) ? "accepted" : "rejected";
}

/** One for each hunk; one for a file without any. */
export function fatesOf(decided: DecidedApproval, file: DecidedDiff): Decision[] {
  if (file.hunks.length > 0) return file.hunks.map((hunk) => fateOf(decided, hunk.index));
  if (file.whole !== null) return [fateOf(decided, file.whole)];
  return [isWritten(decided) ? "accepted" : "rejected"];
}
