/** What has been decided of one write approval, hunk by hunk, and the resolution it makes. Pure. */
import type { Resolution } from "../../protocol/generated";

/** What one decides of hunks as they were proposed. */
export type Verdict = "accepted" | "rejected";
export type Decision = Verdict | "edited";
export type Decisions = {
  readonly of: Readonly<Record<number, Decision>>;
  readonly edits: Readonly<Record<number, string>>;
  /** Kept when the hunk is decided: undoing that brings it back. */
  readonly selected: Readonly<Record<number, Selection>>;
};

/** A hunk of which only some lines are to be taken. `text` is its new side without the changes at `off`. */
export type Selection = { readonly off: readonly number[]; readonly text: string; readonly taken: number };

export const undecided: Decisions = { of: {}, edits: {}, selected: {} };

/** A hunk of which only some lines are selected is accepted with those alone; with none of them it is rejected. */
export function decide(state: Decisions, indexes: readonly number[], decision: Verdict): Decisions {
  const selected = decision === "accepted" ? state.selected : {};
  const of = (index: number): Decision => {
    const selection = selected[index];
    if (selection === undefined) return decision;
    return selection.taken > 0 ? "edited" : "rejected";
  };
  const edits = indexes.filter((index) => of(index) === "edited");
  return {
    ...state,
    of: { ...state.of, ...Object.fromEntries(indexes.map((index) => [index, of(index)])) },
    edits: {
      ...without(state.edits, indexes),
      ...Object.fromEntries(edits.map((index) => [index, selected[index]?.text ?? ""])),
    },
  };
}

/** Null: all of its lines. */
export function select(state: Decisions, index: number, selection: Selection | null): Decisions {
  const others = without(state.selected, [index]);
  return { ...state, selected: selection === null ? others : { ...others, [index]: selection } };
}

export function edit(state: Decisions, index: number, text: string): Decisions {
  return { ...state, of: { ...state.of, [index]: "edited" }, edits: { ...state.edits, [index]: text } };
}

export function undo(state: Decisions, indexes: readonly number[]): Decisions {
  return { ...state, of: without(state.of, indexes), edits: without(state.edits, indexes) };
}

function without<T>(values: Readonly<Record<number, T>>, indexes: readonly number[]): Record<number, T> {
  const gone = new Set(indexes.map(String));
  return Object.fromEntries(Object.entries(values).filter(([index]) => !gone.has(index)));
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
  if (taken.length === 0 && all.length > 0) return wholeResolution("reject", note, previewHash);
  return {
    ...wholeResolution("approve", note, previewHash),
    // Everything taken is "all", which also covers files without hunks (renames, empty files).
    hunks: taken.length === all.length ? null : taken,
    edited: Object.keys(state.edits).length > 0 ? { ...state.edits } : null,
  };
}

/** All of it as it was shown, or nothing of it. */
export function wholeResolution(
  decision: Resolution["decision"],
  note: string,
  previewHash: string,
): Resolution {
  return { decision, hunks: null, edited: null, command: null, note: note.trim() || null, previewHash };
}
