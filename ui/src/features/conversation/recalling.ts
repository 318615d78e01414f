/** What was sent before, taken back into the message box with the arrow keys, as in a terminal. */
import { type KeyboardEvent, useRef } from "react";
import { useArki } from "../../platform/context";
import type { Shown } from "../../protocol/generated";

/** Kept of what was sent in a folder, for new sessions: there is no log to read it from. */
const mostKept = 50;

/** By folder, oldest first. */
const sentIn = new Map<string, readonly string[]>();

export function keepSent(folder: string, text: string): void {
  const before = (sentIn.get(folder) ?? []).filter((one) => one !== text);
  sentIn.set(folder, [...before, text].slice(-mostKept));
}

type Takes = (event: KeyboardEvent<HTMLTextAreaElement>) => boolean;
type Given = { of: Shown; text: string; write: (words: string) => void };

/**
 * Answers whether it has taken the key. It begins in an empty box, and goes on while what it put there is unchanged: a
 * draft is never lost, and the keys move the caret in it.
 */
export function useRecall({ of, text, write }: Given): Takes {
  const arki = useArki();
  const recalled = useRef<{ texts: readonly string[]; at: number } | null>(null);
  const textsOf = ({ folder, sessionId }: Shown) => {
    const kept = sentIn.get(folder) ?? [];
    if (sessionId === null) return kept;
    const { items } = arki.session(sessionId).view.get().transcript;
    return items.flatMap((item) => (item.kind === "user" && !item.isTask ? [item.text] : []));
  };
  return (event) => {
    if (event.altKey || event.shiftKey || event.ctrlKey || event.metaKey) return false;
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (by === undefined) return false;
    const now = recalled.current;
    const goesOn = now !== null && now.texts[now.at] === text;
    if (!goesOn && (text !== "" || by === 1)) return false;
    const texts = goesOn ? now.texts : textsOf(of);
    const at = (goesOn ? now.at : texts.length) + by;
    // Before the first one nothing changes; after the last one the box is empty again.
    if (at < 0) return goesOn;
    recalled.current = at < texts.length ? { texts, at } : null;
    write(texts[at] ?? "");
    return true;
  };
}
