import { useEffect, useState } from "react";
import type { Span } from "./highlight";

/** Past this a file is shown plain: so many coloured words are not worth what they take to draw. */
const maxChars = 60_000;

/** Syntax colours for `code` once they are there; null until then, so nothing waits for them. */
export function useHighlight(code: string, name: string, enabled = true): Span[][] | null {
  const [done, setDone] = useState<{ code: string; spans: Span[][] } | null>(null);
  const wanted = enabled && name !== "" && code.length <= maxChars;
  useEffect(() => {
    if (!wanted) return;
    let current = true;
    void coloured(code, name).then((spans) => current && spans && setDone({ code, spans }));
    return () => {
      current = false;
    };
  }, [code, name, wanted]);
  return done?.code === code ? done.spans : null;
}

/** Null too where the part of the app that finds them can't be read. */
async function coloured(code: string, name: string): Promise<Span[][] | null> {
  const part = await import("./highlight").catch(() => null);
  return part?.highlight(code, name) ?? null;
}
