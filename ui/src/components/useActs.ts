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
