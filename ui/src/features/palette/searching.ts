/** What fits the words beyond the commands: places in all sessions, and files of the folder. Asked for once the typing pauses. */
import { plural, t } from "@lingui/core/macro";
import { useEffect, useState } from "react";
import { useArki } from "../../platform/context";
import { asCommandError } from "../../platform/platform";
import type { CommandError, SearchHit } from "../../protocol/generated";
import { begun } from "../../protocol/search_words";

/** A pause in typing. */
const debounceMs = 120;
const leastChars = 2;
const mostHits = 60;
const mostFiles = 6;
/** Of a last word that is looked for as a beginning. */
const leastBegun = 3;

type Search = { of: string; hits: SearchHit[]; error: CommandError | null };
const noHits: Search = { of: "", hits: [], error: null };

/** Searches everything said, run and changed once the typing pauses. What was found stays until the next answer. */
export function useSearch(words: string, project: string | null) {
  const { platform } = useArki();
  const [found, setFound] = useState(noHits);
  const text = words.trim();
  const wanted = text.length >= leastChars;
  const of = `${project ?? ""}\n${text}`;
  useEffect(() => {
    if (!wanted) return setFound(noHits);
    return afterPause((still) => {
      const asked = { text: begun(text, leastBegun), project, limit: mostHits };
      platform.call("search_sessions", asked).then(
        (hits) => still() && setFound({ of, hits, error: null }),
        (thrown) => still() && setFound({ of, hits: [], error: asCommandError(thrown) }),
      );
    });
  }, [platform, wanted, text, project, of]);
  return {
    hits: found.hits,
    error: found.error,
    searching: wanted && found.of !== of,
    words: wanted && found.of === of && !found.error ? countWords(found.hits.length) : "",
  };
}

function countWords(count: number): string {
  return count >= mostHits
    ? t`The newest ${plural(count, { one: "# place", other: "# places" })}; add words to narrow the search`
    : plural(count, { one: "# place", other: "# places" });
}

type FoundFiles = { of: string; paths: readonly string[] };
const noFiles: FoundFiles = { of: "", paths: [] };

/** Files of the folder that is open by a part of their path, the best first; none where they can't be listed. */
export function useFiles(words: string, folder: string | null): readonly string[] {
  const { platform } = useArki();
  const [found, setFound] = useState(noFiles);
  const typed = words.trim();
  const of = folder === null || typed.length < leastChars ? "" : `${folder}\n${typed}`;
  useEffect(() => {
    if (of === "") return setFound(noFiles);
    return afterPause((still) => {
      platform.call("list_mentions", { typed }).then(
        (entries) => {
          const files = entries.filter(({ kind }) => kind === "file").slice(0, mostFiles);
          if (still()) setFound({ of, paths: files.map(({ name }) => name) });
        },
        () => still() && setFound(noFiles),
      );
    });
  }, [platform, typed, of]);
  return found.of === of ? found.paths : noFiles.paths;
}

/** Asks once the typing pauses; `still`: nothing else was typed since. Returns how to stop. */
function afterPause(ask: (still: () => boolean) => void): () => void {
  let current = true;
  const timer = setTimeout(() => ask(() => current), debounceMs);
  return () => {
    current = false;
    clearTimeout(timer);
  };
}
