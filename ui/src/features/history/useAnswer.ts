import { useEffect, useState } from "react";
import { asCommandError } from "../../platform/platform";
import type { CommandError } from "../../protocol/generated";

type Known<T> = { answer: T | null; error: CommandError | null };

/** The answer to what is asked; a later question's is never overtaken by an earlier one's. */
export function useAnswer<T>(ask: () => Promise<T>, of: string): Known<T> {
  const [known, setKnown] = useState<Known<T> & { of: string }>({ answer: null, error: null, of });
  // biome-ignore lint/correctness/useExhaustiveDependencies: `of` names what is asked
  useEffect(() => {
    let current = true;
    ask().then(
      (answer) => current && setKnown({ answer, error: null, of }),
      (thrown) => current && setKnown({ answer: null, error: asCommandError(thrown), of }),
    );
    return () => {
      current = false;
    };
  }, [of]);
  return known.of === of ? known : { answer: null, error: null };
}
