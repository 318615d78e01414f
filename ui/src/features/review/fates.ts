/** The fate of each part of a change that was decided. Pure. */
import type { DiffFile } from "../../components/diff/parse";
import type { DecidedApproval } from "../../protocol/approvals";
import type { Decision } from "./decisions";

/** Unwritten: accepted, but its call failed, such as an edit on top of one that was rejected. */
export type Fate = Decision | "unwritten";

export const isWritten = (decided: DecidedApproval) => decided.decision === "approve" && !decided.superseded;

export function fateOf(decided: DecidedApproval, index: number): Fate {
  if (!isWritten(decided)) return "rejected";
  if (decided.hunks !== null && !decided.hunks.includes(index) && !(index in decided.edited))
    return "rejected";
  const hunk = decided.preview?.hunks.find((one) => one.index === index);
  if (hasFailed(decided, hunk?.callId ?? null)) return "unwritten";
  return index in decided.edited ? "edited" : "accepted";
}

/** One for each hunk; one for a file without any. */
export function fatesOf(decided: DecidedApproval, file: DiffFile): Fate[] {
  if (file.hunks.length > 0) return file.hunks.map((hunk) => fateOf(decided, hunk.index));
  if (!isWritten(decided)) return ["rejected"];
  return [hasFailed(decided, null) ? "unwritten" : "accepted"];
}

function hasFailed({ failedCalls, callId }: DecidedApproval, ofHunk: string | null): boolean {
  return failedCalls.includes(ofHunk ?? callId ?? "");
}
