/** The fate of each part of a change that was decided. Pure. */
import type { DiffFile } from "../../components/diff/parse";
import type { DecidedApproval } from "../../protocol/approvals";
import type { Decision } from "./decisions";

export const isWritten = (decided: DecidedApproval) => decided.decision === "approve" && !decided.superseded;

export function fateOf(decided: DecidedApproval, index: number): Decision {
  if (!isWritten(decided)) return "rejected";
  if (index in decided.edited) return "edited";
  return decided.hunks === null || decided.hunks.includes(index) ? "accepted" : "rejected";
}

/** One for each hunk; one for a file without any. */
export function fatesOf(decided: DecidedApproval, file: DiffFile): Decision[] {
  if (file.hunks.length > 0) return file.hunks.map((hunk) => fateOf(decided, hunk.index));
  return [isWritten(decided) ? "accepted" : "rejected"];
}
