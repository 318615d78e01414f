/** Calls that only read, several in a row, are one line until somebody wants to see them. Pure. */
import type { Item, ToolItem } from "../../protocol/transcript";

/** Fewer take no more room by themselves. */
const leastFolded = 3;

/** Stands for calls in a row that only read. */
export type ReadsItem = {
  kind: "reads";
  key: string;
  seq: number;
  ts: number;
  calls: number;
  failed: number;
  /** Each once, in the order in which they were used. */
  tools: readonly string[];
  open: boolean;
};

/** Over, and nothing to be decided, answered or followed. What ran in another session has a card worth seeing. */
function isRoutine(item: Item): item is ToolItem {
  if (item.kind !== "tool" || item.category !== "read") return false;
  const isOver = item.state === "done" || item.state === "failed";
  return isOver && item.question === null && item.subagent === null && item.elicitations.length === 0;
}

/** The items in their order; those that fold are together. */
export function stretchesOf(items: readonly Item[]): (Item | readonly ToolItem[])[] {
  const stretches: (Item | readonly ToolItem[])[] = [];
  let reads: ToolItem[] = [];
  const end = () => {
    if (reads.length >= leastFolded) stretches.push(reads);
    else stretches.push(...reads);
    reads = [];
  };
  for (const item of items) {
    if (isRoutine(item)) {
      reads.push(item);
      continue;
    }
    end();
    stretches.push(item);
  }
  end();
  return stretches;
}

const keyOf = (first: ToolItem) => `reads ${first.key}`;

export function readsItem(reads: readonly ToolItem[], unfolded: ReadonlySet<string>): ReadsItem | null {
  const first = reads[0];
  if (!first) return null;
  const key = keyOf(first);
  return {
    kind: "reads",
    key,
    seq: first.seq,
    ts: first.ts,
    calls: reads.length,
    failed: reads.filter((one) => one.state === "failed").length,
    tools: [...new Set(reads.map((one) => one.toolId))],
    open: unfolded.has(key),
  };
}

/** The line that an item is folded into; null where it stands by itself. */
export function readsWith(items: readonly Item[], key: string): string | null {
  for (const stretch of stretchesOf(items)) {
    if (!("kind" in stretch) && stretch[0] && stretch.some((one) => one.key === key))
      return keyOf(stretch[0]);
  }
  return null;
}
