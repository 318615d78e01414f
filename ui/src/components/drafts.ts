/**
 * What the user has begun to write or choose, kept by an id while it waits for them: what is drawn anew, in another
 * language or after a look elsewhere, has lost nothing. Bounded.
 */
import { useState } from "react";
import { recall, remember, stored, unremember } from "./remembered";

const maxDrafts = 20;
/** A longer one lasts as long as the window. */
const maxStoredChars = 50_000;
/** Keys and tokens are long words of letters and digits. What has one lasts as long as the window, too. */
const longWord = /[\w+=-]{20,}/g;
const mayHoldSecret = (text: string) =>
  text.includes("-----BEGIN") ||
  (text.match(longWord) ?? []).some((word) => /\d/.test(word) && /[A-Za-z]/.test(word));
/** Not each key is written to the disk. */
const restMs = 300;

/** Those of one kind, by id; the one that was changed last comes last. */
export type Drafts<T> = Pick<Map<string, T>, "get" | "set" | "delete">;

/** A draft as it is; `forget` drops it once it was sent. */
export function useKeptDraft<T>(drafts: Drafts<T>, id: string, nothing: T) {
  const [draft, setDraft] = useState(() => drafts.get(id) ?? nothing);
  return {
    draft,
    change: (next: (now: T) => T) => {
      const changed = next(drafts.get(id) ?? draft);
      drafts.set(id, changed);
      setDraft(changed);
    },
    forget: () => void drafts.delete(id),
  };
}

/** For what must not be written to a disk. */
export function draftsInMemory<T>(): Drafts<T> {
  const all = new Map<string, T>();
  const drop = (id: string) => all.delete(id);
  return {
    get: (id) => all.get(id),
    set: (id, draft) => {
      drop(id);
      const oldest = all.set(id, draft).keys().next().value;
      if (all.size > maxDrafts && oldest !== undefined) drop(oldest);
      return all;
    },
    delete: drop,
  };
}

/** They outlive the window, and a crash of its page, in localStorage. What is found there and isn't one is no draft. */
export function storedDrafts<T>(kind: string, isOne: (value: unknown) => value is T): Drafts<T> {
  const now = draftsInMemory<T>();
  const changed = new Map<string, T>();
  const key = (id: string) => `draft.${kind}.${id}`;
  const write = () => {
    clearTimeout(resting);
    for (const [id, draft] of changed) {
      const text = JSON.stringify({ at: Date.now(), draft });
      // First: where there is no room for it, an older one must not come back.
      unremember(key(id));
      if (text.length <= maxStoredChars && !mayHoldSecret(text)) remember(key(id), text);
    }
    changed.clear();
    const names = stored(key(""));
    if (names.length <= maxDrafts) return;
    const all = names.map((name) => ({ name, at: Number(read(name)?.at ?? 0) }));
    for (const { name } of all.sort((a, b) => b.at - a.at).slice(maxDrafts)) unremember(name);
  };
  let resting: ReturnType<typeof setTimeout> | undefined;
  addEventListener("pagehide", write);
  return {
    get: (id) => {
      const known = now.get(id);
      if (known !== undefined) return known;
      const found = read(key(id))?.draft;
      return isOne(found) ? found : undefined;
    },
    set: (id, draft) => {
      changed.set(id, draft);
      clearTimeout(resting);
      resting = setTimeout(write, restMs);
      return now.set(id, draft);
    },
    delete: (id) => {
      changed.delete(id);
      unremember(key(id));
      return now.delete(id);
    },
  };
}

/** Drops what is stored of a session, or of an approval, that is over or gone. */
export function forgetDrafts(id: string): void {
  for (const name of stored("draft.")) if (name.endsWith(`.${id}`)) unremember(name);
}

function read(name: string): { at?: unknown; draft?: unknown } | null {
  try {
    return JSON.parse(recall(name) ?? "null");
  } catch {
    return null;
  }
}

export const isText = (value: unknown): value is string => typeof value === "string";
