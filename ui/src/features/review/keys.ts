/**
 * The review's keys. A letter acts on the hunk, file or line that has the focus, never from a text; Mod+Enter accepts
 * from anywhere in the approval, its note too. A key that is held decides once: the focus has gone on by then.
 */
import { type KeyboardEvent, type RefObject, useEffect, useRef } from "react";
import { composes, inTextField, matches } from "../../components/shortcuts";

export type HunkAction = "accept" | "reject" | "edit" | "lines" | "comment" | "undo" | "fold";

const hunkKeys: Record<string, HunkAction> = {
  a: "accept",
  r: "reject",
  e: "edit",
  l: "lines",
  c: "comment",
  u: "undo",
  o: "fold",
};

export type FileAction = "accept" | "reject" | "undo";
export type FileListKey = FileAction | "next" | "previous" | "first" | "last";

const fileListKeys: Record<string, FileListKey> = {
  a: "accept",
  r: "reject",
  u: "undo",
  j: "next",
  arrowdown: "next",
  k: "previous",
  arrowup: "previous",
  home: "first",
  end: "last",
};

export function reviewKey(event: KeyboardEvent): "files" | "accept all" | null {
  if (composes(event.nativeEvent) || event.repeat) return null;
  if (matches(event, "Mod+Enter")) return "accept all";
  return letter(event) === "f" ? "files" : null;
}

export function hunkKey(event: KeyboardEvent): HunkAction | null {
  return event.repeat ? null : (hunkKeys[letter(event) ?? ""] ?? null);
}

/** A key that is no text and has no modifier. */
function letter(event: KeyboardEvent): string | null {
  if (composes(event.nativeEvent) || event.ctrlKey || event.metaKey || event.altKey) return null;
  return inTextField(event.target) ? null : event.key.toLowerCase();
}

/** The same letters for a whole file, where the list of files has the focus. */
export function fileListKey(event: KeyboardEvent): FileListKey | null {
  if (composes(event.nativeEvent) || event.ctrlKey || event.metaKey || event.altKey) return null;
  return fileListKeys[event.key.toLowerCase()] ?? null;
}

/** `other`: a letter that means something for the hunk, and nothing for a line of it. */
export type LineKey = "next" | "previous" | "comment" | "close" | "other";

const lineKeys: Record<string, LineKey> = {
  j: "next",
  arrowdown: "next",
  k: "previous",
  arrowup: "previous",
  c: "comment",
  escape: "close",
};

export function lineKey(event: KeyboardEvent): LineKey | null {
  if (composes(event.nativeEvent) || event.ctrlKey || event.metaKey || event.altKey) return null;
  return lineKeys[event.key.toLowerCase()] ?? (/^\S$/.test(event.key) ? "other" : null);
}

/** A hunk's key on a folded file unfolds it and leads to its first hunk: nothing is decided unseen. */
export function unfoldedByKey(event: KeyboardEvent): boolean {
  const toggle = (event.target as Element).closest<HTMLElement>(foldedFile);
  if (toggle === null || hunkKey(event) === null) return false;
  const file = toggle.closest(".file");
  toggle.click();
  // Its hunks are drawn after this.
  setTimeout(() => file?.querySelector<HTMLElement>("[data-hunk]")?.focus(), 0);
  return true;
}

export function focusFileList(root: HTMLElement): void {
  root.querySelector<HTMLElement>('.file-list [data-file][tabindex="0"]')?.focus();
}

/** After a decision the focus goes to the next undecided hunk (or folded file), never to nowhere. */
export function useFocusAfterDecision(root: RefObject<HTMLElement | null>, left: readonly number[]): void {
  const before = useRef(left);
  useEffect(() => {
    const decided = before.current.filter((index) => !left.includes(index));
    const undone = left.filter((index) => !before.current.includes(index));
    before.current = left;
    if (!root.current) return;
    const { activeElement } = document;
    if (decided.length === 0) {
      // Undo's own button is gone.
      const back = stops(root.current).find((stop) => undone.includes(Number(stop.dataset.hunk)));
      if (activeElement === document.body) back?.focus();
      return;
    }
    if (activeElement?.closest(".file-list")) return;
    // A file's button goes when the file is decided, and the focus with it.
    if (decided.length > 1 && activeElement !== document.body) return;
    // What is decided may have gone below the rest: next is what follows it in the change.
    const all = stops(root.current).sort((one, other) => placeOf(one) - placeOf(other));
    const at = all.findLastIndex((stop) => decided.includes(Number(stop.dataset.hunk)));
    const after = [...all.slice(at + 1), ...all.slice(0, at)];
    (after.find((stop) => !stop.dataset.hunk || stop.classList.contains("open")) ?? all[at])?.focus();
  }, [root, left]);
}

export function moveFocus(root: HTMLElement | null, by: 1 | -1): boolean {
  const all = stops(root);
  const { activeElement } = document;
  const now = all.findIndex((stop) => stop.contains(activeElement));
  const next = now === -1 ? nearest(all, activeElement, by) : all[now + by];
  next?.focus();
  return next !== undefined;
}

/** From what is no stop, such as the button of a file that was just unfolded, it goes on from there. */
function nearest(all: readonly HTMLElement[], from: Element | null, by: 1 | -1): HTMLElement | undefined {
  const way = by === 1 ? Node.DOCUMENT_POSITION_FOLLOWING : Node.DOCUMENT_POSITION_PRECEDING;
  const beyond = all.filter((stop) => from !== null && (from.compareDocumentPosition(stop) & way) !== 0);
  return by === 1 ? (beyond[0] ?? all[0]) : (beyond.at(-1) ?? all.at(-1));
}

const foldedFile = '.file-toggle[aria-expanded="false"]';

const placeOf = (stop: HTMLElement) => Number(stop.closest<HTMLElement>("[data-at]")?.dataset.at ?? 0);

/** Where j and k stop: each hunk that shows, and the button of each file that is folded. */
function stops(root: HTMLElement | null): HTMLElement[] {
  return [...(root?.querySelectorAll<HTMLElement>(`[data-hunk], ${foldedFile}`) ?? [])];
}
