import { useEffect, useState } from "react";
import { useArki } from "../../platform/context";
import { asCommandError } from "../../platform/platform";
import type {
  AgentState,
  CommandError,
  NextRequest,
  SessionChanges,
  SessionToolEntry,
} from "../../protocol/generated";

/** The next request says what holds from the next run on. */
type Known = {
  next: NextRequest | null;
  tools: readonly SessionToolEntry[];
  state: AgentState;
  error: CommandError | null;
};

const unchanged: SessionChanges = { model: null, effort: null, core: null, system: null, on: [], off: [] };

/** A session's settings, and changing them: an empty text is as configured again. */
export function useSessionSettings(folder: string, sessionId: string) {
  const { platform } = useArki();
  const [known, setKnown] = useState<Known>({ next: null, tools: [], state: {}, error: null });
  useEffect(() => {
    let isShown = true;
    const told = (part: Partial<Known>) => isShown && setKnown((now) => ({ ...now, ...part }));
    const failed = (thrown: unknown) => told({ error: asCommandError(thrown) });
    platform.call("next_request", { of: { folder, sessionId } }).then((next) => told({ next }), failed);
    platform.call("session_tools", { sessionId }).then((tools) => told({ tools: [...tools] }), failed);
    platform.call("get_state", { sessionId }).then((state) => told({ state }), failed);
    return () => {
      isShown = false;
    };
  }, [platform, folder, sessionId]);
  /** Resolves to whether it was changed. */
  const change = async (changes: Partial<SessionChanges>): Promise<boolean> => {
    try {
      const next = await platform.call("configure_session", {
        sessionId,
        changes: { ...unchanged, ...changes },
      });
      setKnown((now) => ({ ...now, next, error: null }));
      return true;
    } catch (thrown) {
      setKnown((now) => ({ ...now, error: asCommandError(thrown) }));
      return false;
    }
  };
  return { ...known, change };
}
