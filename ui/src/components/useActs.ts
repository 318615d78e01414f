import { useCallback, useState } from "react";
import { asCommandError } from "../platform/platform";
import type { CommandError } from "../protocol/generated";

/** Does one thing after the other for the user, and keeps why the last one failed. */
export function useActs() {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<CommandError | null>(null);
  /** Whether it was done. */
  const attempt = useCallback(async (work: () => Promise<unknown>): Promise<boolean> => {
    setBusy(true);
    setError(null);
    try {
      await work();
      return true;
    } catch (thrown) {
      setError(asCommandError(thrown));
      return false;
    } finally {
      setBusy(false);
    }
  }, []);
  return { busy, error, attempt, hush: () => setError(null) };
}

/** The same at one place of several, such as a session: an error stays with the place at which it came. */
export function useActsAt(place: string) {
  const [errors, setErrors] = useState<Readonly<Record<string, CommandError | null>>>({});
  const told = (error: CommandError | null) => setErrors((now) => ({ ...now, [place]: error }));
  const attempt = async (work: () => Promise<unknown>): Promise<boolean> => {
    told(null);
    try {
      await work();
      return true;
    } catch (thrown) {
      told(asCommandError(thrown));
      return false;
    }
  };
  /** At all of them. */
  const hush = useCallback(() => setErrors({}), []);
  return { error: errors[place] ?? null, attempt, hush };
}
