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
/** Of a last word that is looked for as a beginning. */
const leastBegun = 3;

type Search = { of: string; hits: SearchHit[]; error: CommandError | null };

const nothing: Search = { of: "", hits: [], error: null };

/** Searches everything said, run and changed once the typing pauses. What was found stays until the next answer. */
export function useSearch(words: string, project: string | null) {
  const arki = useArki();
  const [found, setFound] = useState(nothing);
  const text = words.trim();
  const wanted = text.length >= leastChars;
  const of = `${project ?? ""}\n${text}`;
  useEffect(() => {
    if (!wanted) {
      setFound(nothing);
      return;
    }
    let current = true;
    const timer = setTimeout(() => {
      const asked = { text: begun(text, leastBegun), project, limit: mostHits };
      arki.platform.call("search_sessions", asked).then(
        (hits) => current && setFound({ of, hits, error: null }),
        (thrown) => current && setFound({ of, hits: [], error: asCommandError(thrown) }),
      );
    }, debounceMs);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [arki, wanted, text, project, of]);
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
