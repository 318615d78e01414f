/** The review's keys. They act on the hunk that has the focus, so they never fire from elsewhere. */
import { type KeyboardEvent, type RefObject, useEffect, useRef } from "react";
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

/** After a decision the focus goes to the next undecided hunk (or folded file), never to nowhere. */
export function useFocusAfterDecision(root: RefObject<HTMLElement | null>, left: readonly number[]): void {
  const before = useRef(left);
  useEffect(() => {
    const decided = before.current.filter((index) => !left.includes(index));
    before.current = left;
    if (decided.length !== 1 || !root.current) return;
    const all = stops(root.current);
    const at = all.findIndex((stop) => Number(stop.dataset.hunk) === decided[0]);
    const after = [...all.slice(at + 1), ...all.slice(0, at)];
    (after.find((stop) => !stop.dataset.hunk || stop.classList.contains("open")) ?? all[at])?.focus();
  }, [root, left]);
}

export function moveFocus(root: HTMLElement | null, by: 1 | -1): boolean {
  const all = stops(root);
  const now = all.findIndex((stop) => stop.contains(document.activeElement));
  const next = all[now === -1 ? (by === 1 ? 0 : all.length - 1) : now + by];
  next?.focus();
  return next !== undefined;
}

/** Where j and k stop: each hunk that shows, and the button of each file that is folded. */
function stops(root: HTMLElement | null): HTMLElement[] {
  return [...(root?.querySelectorAll<HTMLElement>('[data-hunk], .file-toggle[aria-expanded="false"]') ?? [])];
}
