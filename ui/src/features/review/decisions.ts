/** What has been decided of one write approval, hunk by hunk, and the resolution it makes. Pure. */
import type { Resolution } from "../../protocol/generated";

export type Decision = "accepted" | "rejected" | "edited";
export type Decisions = {
  readonly of: Readonly<Record<number, Decision>>;
  readonly edits: Readonly<Record<number, string>>;
};

export const undecided: Decisions = { of: {}, edits: {} };

export function decide(
  state: Decisions,
  indexes: readonly number[],
  decision: "accepted" | "rejected",
): Decisions {
  const gone = new Set(indexes.map(String));
  return {
    of: { ...state.of, ...Object.fromEntries(indexes.map((index) => [index, decision])) },
    edits: Object.fromEntries(Object.entries(state.edits).filter(([index]) => !gone.has(index))),
  };
}

export function edit(state: Decisions, index: number, text: string): Decisions {
  return { of: { ...state.of, [index]: "edited" }, edits: { ...state.edits, [index]: text } };
}

export function undo(state: Decisions, indexes: readonly number[]): Decisions {
  const gone = new Set(indexes.map(String));
  const kept = <T>(values: Readonly<Record<number, T>>): Record<number, T> =>
    Object.fromEntries(Object.entries(values).filter(([index]) => !gone.has(index)));
  return { of: kept(state.of), edits: kept(state.edits) };
}

export function open(state: Decisions, all: readonly number[]): number[] {
  return all.filter((index) => state.of[index] === undefined);
}

/** Null while a hunk is undecided. What was shown is bound by its hash, whatever was decided. */
export function resolution(
  state: Decisions,
  all: readonly number[],
  note: string,
  previewHash: string,
): Resolution | null {
  if (open(state, all).length > 0) return null;
  const taken = all.filter((index) => state.of[index] !== "rejected");
  const words = note.trim() === "" ? null : note.trim();
  if (taken.length === 0 && all.length > 0) {
    return { decision: "reject", hunks: null, edited: null, command: null, note: words, previewHash };
  }
  return {
    decision: "approve",
    // Everything taken is "all", which also covers files without hunks (renames, empty files).
    hunks: taken.length === all.length ? null : taken,
    edited: Object.keys(state.edits).length > 0 ? { ...state.edits } : null,
    command: null,
    note: words,
    previewHash,
  };
}
