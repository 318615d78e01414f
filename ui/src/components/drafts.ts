/**
 * What the user has begun to write or choose, kept by an id while it waits for them: what is drawn anew, in another
 * language or after a look elsewhere, has lost nothing. In memory only, and bounded.
 */
import { useState } from "react";

const maxDrafts = 50;

/** Those of one kind, by id; the one that was changed last comes last. */
export type Drafts<T> = Map<string, T>;

/** A draft as it is; `forget` drops it once it was sent. */
export function useKeptDraft<T>(drafts: Drafts<T>, id: string, nothing: T) {
  const [draft, setDraft] = useState(() => drafts.get(id) ?? nothing);
  return {
    draft,
    change: (next: (now: T) => T) => {
      const changed = next(drafts.get(id) ?? draft);
      drafts.delete(id);
      drafts.set(id, changed);
      const oldest = drafts.keys().next().value;
      if (drafts.size > maxDrafts && oldest !== undefined) drafts.delete(oldest);
      setDraft(changed);
    },
    forget: () => void drafts.delete(id),
  };
}
