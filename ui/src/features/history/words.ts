/** What going back does to a file, in words. Pure. */
import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { exact } from "../../components/format";
import type { RestoreAction, RestoredFile } from "../../protocol/generated";

type Words = { sign: string; word: MessageDescriptor; detail: MessageDescriptor };

export const actionWords: Readonly<Record<RestoreAction, Words>> = {
  conflict: { sign: "!", word: msg`left alone`, detail: msg`you changed the same lines later` },
  delete: { sign: "−", word: msg`deleted`, detail: msg`it didn't exist then` },
  restore: { sign: "↺", word: msg`restored`, detail: msg`as it was, with your later edits kept` },
  keep: { sign: "=", word: msg`kept`, detail: msg`already as it was` },
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
    return count === 0 ? [] : [`${exact(count)} ${i18n._(actionWords[action].word)}`];
  });
  return words.join(", ");
}

export const writes = (changes: readonly RestoredFile[]): number =>
  changes.filter((one) => one.action === "restore" || one.action === "delete").length;
