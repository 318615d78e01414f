/** How many lines an edit adds and removes: of what was decided the part that was written. Pure. */
import { alignLines } from "../../components/diff/align";
import { type DiffHunk, parseDiff } from "../../components/diff/parse";
import { withNewSide } from "../../components/diff/side";
import type { DecidedApproval } from "../../protocol/approvals";
import type { ChangePreview } from "../../protocol/generated";
import { isRecord, text } from "../../protocol/read";

export type EditCounts = { added: number; removed: number };

type Decided = Pick<DecidedApproval, "decision" | "hunks" | "edited">;

/** `decided`: null while it waits. Null where the diff isn't at hand. */
export function previewCounts(preview: ChangePreview, decided: Decided | null): EditCounts | null {
  if (!preview.diff) return null;
  const place = (path: string, hunk: Pick<DiffHunk, "oldStart" | "newStart">) =>
    `${hunk.oldStart} ${hunk.newStart} ${path}`;
  const numbers = new Map(preview.hunks.map((hunk) => [place(hunk.path, hunk), hunk.index]));
  const chosen = decided?.decision === "approve" ? decided.hunks : null;
  const written = parseDiff(preview.diff).flatMap(({ path, hunks }) =>
    hunks.flatMap((hunk) => {
      const number = numbers.get(place(path, hunk)) ?? hunk.index;
      const own = decided?.edited[number];
      if (own !== undefined) return withNewSide(hunk, own).lines;
      return chosen === null || chosen.includes(number) ? hunk.lines : [];
    }),
  );
  const count = (kind: "added" | "removed") => written.filter((line) => line.kind === kind).length;
  return { added: count("added"), removed: count("removed") };
}

export const isPart = ({ decision, hunks, preview }: DecidedApproval) =>
  decision === "approve" && hunks !== null && hunks.length < (preview?.hunks.length ?? 0);

/** By what the call itself says; null where that depends on the files. */
export function askedCounts(args: unknown): EditCounts | null {
  if (!isRecord(args) || !Array.isArray(args.edits)) return null;
  const edits: readonly unknown[] = args.edits;
  if (edits.length === 0 || edits.some((edit) => isRecord(edit) && edit.replace_all === true)) return null;
  const each = edits.map((edit) => lineCounts(text(edit, "old_text"), text(edit, "new_text")));
  const sum = (of: keyof EditCounts) => each.reduce((all, one) => all + one[of], 0);
  return { added: sum("added"), removed: sum("removed") };
}

function lineCounts(before: string, after: string): EditCounts {
  const [old, fresh] = [before, after].map((side) =>
    side === "" ? [] : side.replace(/\n$/, "").split("\n"),
  );
  const same = alignLines(old ?? [], fresh ?? []).length;
  return { added: (fresh?.length ?? 0) - same, removed: (old?.length ?? 0) - same };
}
