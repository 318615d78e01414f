import { useCallback, useEffect, useRef, useState } from "react";
import { useArki } from "../../platform/context";
import { type Answer, asCommandError, type CommandName, type Platform } from "../../platform/platform";
import type { CommandError } from "../../protocol/generated";

/**
 * What the engine answers, asked again by `reload`. `ask` has to be the same one for as long as it asks the same.
 * `isAnswered` says that an answer or an error has come: a button below the list waits for it, or it would move away from
 * under the pointer.
 */
export function useListed<Name extends CommandName>(ask: (platform: Platform) => Promise<Answer<Name>>) {
  const { platform } = useArki();
  const [listed, setListed] = useState<Answer<Name> | null>(null);
  const [error, setError] = useState<CommandError | null>(null);
  const newest = useRef(0);
  const reload = useCallback(async () => {
    newest.current += 1;
    const asked = newest.current;
    try {
      const answer = await ask(platform);
      if (asked === newest.current) setListed(answer);
      setError(null);
    } catch (thrown) {
      setError(asCommandError(thrown));
    }
  }, [ask, platform]);
  useEffect(() => void reload(), [reload]);
  return { listed, error, isAnswered: listed !== null || error !== null, reload };
}
