/** What going back does to a file, in words. Pure. */
import type { RestoreAction, RestoredFile } from "../../protocol/generated";

type Words = { sign: string; word: string; detail: string };

export const actionWords: Readonly<Record<RestoreAction, Words>> = {
  conflict: { sign: "!", word: "left alone", detail: "you changed the same lines since" },
  delete: { sign: "−", word: "deleted", detail: "it did not exist then" },
  restore: { sign: "↺", word: "restored", detail: "as it was, your own later edits kept" },
  keep: { sign: "=", word: "kept", detail: "it is so already" },
};

/** What needs a second look first. */
export const actionOrder: readonly RestoreAction[] = ["conflict", "delete", "restore", "keep"];

export function inOrder(changes: readonly RestoredFile[]): RestoredFile[] {
  return [...changes].sort((a, b) => actionOrder.indexOf(a.action) - actionOrder.indexOf(b.action));
}

/** "2 restored, 1 deleted, 1 left alone". */
export function counted(changes: readonly RestoredFile[]): string {
  const words = actionOrder.flatMap((action) => {
    const count = changes.filter((one) => one.action === action).length;
    return count === 0 ? [] : [`${count.toLocaleString()} ${actionWords[action].word}`];
  });
  return words.join(", ");
}

export const writes = (changes: readonly RestoredFile[]): number =>
  changes.filter((one) => one.action === "restore" || one.action === "delete").length;
