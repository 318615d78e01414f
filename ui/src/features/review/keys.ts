/** The review's keys. They act on the hunk that has the focus, so they never fire from elsewhere. */
import type { KeyboardEvent } from "react";
import { inTextField, matches } from "../../components/shortcuts";

export type ReviewAction = "accept" | "reject" | "edit" | "undo" | "accept all";

const keys: Record<string, ReviewAction> = { a: "accept", r: "reject", e: "edit", u: "undo" };

export function reviewKey(event: KeyboardEvent): ReviewAction | null {
  if (event.nativeEvent.isComposing) return null;
  if (matches(event, "Mod+Enter")) return "accept all";
  if (inTextField(event.target) || event.ctrlKey || event.metaKey || event.altKey) return null;
  return keys[event.key.toLowerCase()] ?? null;
}

export function hunkOf(target: EventTarget): number | null {
  const at = target instanceof HTMLElement ? target.closest<HTMLElement>("[data-hunk]") : null;
  return at ? Number(at.dataset.hunk) : null;
}

/** After a decision the focus goes to the next undecided hunk, never to nowhere. */
export function focusNextHunk(root: HTMLElement | null, index: number): void {
  const hunks = hunkElements(root);
  const at = hunks.findIndex((hunk) => Number(hunk.dataset.hunk) === index);
  const after = [...hunks.slice(at + 1), ...hunks.slice(0, at)];
  (after.find((hunk) => hunk.classList.contains("open")) ?? hunks[at])?.focus();
}

export function moveFocus(root: HTMLElement | null, by: 1 | -1): boolean {
  const hunks = hunkElements(root);
  const now = hunks.findIndex((hunk) => hunk.contains(document.activeElement));
  const next = hunks[now === -1 ? (by === 1 ? 0 : hunks.length - 1) : now + by];
  next?.focus();
  return next !== undefined;
}

const hunkElements = (root: HTMLElement | null) => [
  ...(root?.querySelectorAll<HTMLElement>("[data-hunk]") ?? []),
];
