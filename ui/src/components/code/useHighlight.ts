import { useEffect, useState } from "react";
import { highlight, maxHighlightChars, type Span } from "./highlight";
import { languageOf } from "./languages";

/** Syntax colours for `code` once they are there; null until then, so nothing waits for them. */
export function useHighlight(code: string, name: string, enabled = true): Span[][] | null {
  const [done, setDone] = useState<{ code: string; spans: Span[][] } | null>(null);
  const language = enabled && code.length <= maxHighlightChars ? languageOf(name) : null;
  useEffect(() => {
    if (language === null) return;
    let current = true;
    void highlight(code, language).then((spans) => current && spans && setDone({ code, spans }));
    return () => {
      current = false;
    };
  }, [code, language]);
  return done?.code === code ? done.spans : null;
}
