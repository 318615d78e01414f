import { useEffect, useState } from "react";
import { useArki } from "../../platform/context";
import { asCommandError } from "../../platform/platform";
import type { CommandError, SearchHit } from "../../protocol/generated";
import { begun } from "../../protocol/search_words";

/** A pause in typing. */
const debounceMs = 120;
const leastChars = 2;
/** As many as the engine tells of one search. */
const mostHits = 200;

/** What the transcript shows elsewhere too, or not at all. */
const repeated: ReadonlySet<string> = new Set([
  "session.created",
  "session.configured",
  "message.queued",
  "queue.changed",
  "run.completed",
  "approval.requested",
  "approval.resolved",
]);

type Found = {
  /** What was searched for. */
  of: string;
  /** The oldest first. */
  hits: readonly SearchHit[];
  /** There are older ones. */
  isCut: boolean;
  error: CommandError | null;
};

const nothing: Found = { of: "", hits: [], isCut: false, error: null };

/** Searches the whole session, also what is not drawn, once the typing pauses. What was found stays until the next answer. */
export function useFind(sessionId: string, typed: string): Found & { isSearching: boolean } {
  const { platform } = useArki();
  const [found, setFound] = useState(nothing);
  const text = typed.trim();
  const isWanted = text.length >= leastChars;
  useEffect(() => {
    if (!isWanted) return setFound(nothing);
    let isCurrent = true;
    const search = async () => {
      try {
        const asked = { text: begun(text, 1), project: null, sessionId, limit: mostHits };
        const all = await platform.call("search_sessions", asked);
        const hits = all.filter((hit) => !repeated.has(hit.type)).reverse();
        if (isCurrent) setFound({ of: text, hits, isCut: all.length >= mostHits, error: null });
      } catch (thrown) {
        if (isCurrent) setFound({ ...nothing, of: text, error: asCommandError(thrown) });
      }
    };
    const timer = setTimeout(search, debounceMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [platform, sessionId, isWanted, text]);
  return { ...found, isSearching: isWanted && found.of !== text };
}
