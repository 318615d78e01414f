import { useEffect, useState, useSyncExternalStore } from "react";
import { useArki } from "../../platform/context";
import { asCommandError } from "../../platform/platform";
import type { CommandError, Event, NextRequest, Shown } from "../../protocol/generated";

/** A run at work changes it at every turn. */
const settleMs = 250;

const changes: ReadonlySet<Event["type"]> = new Set([
  "engine.response",
  "context.compacted",
  "context.added",
  "session.configured",
  "session.rewound",
  "run.started",
  "run.completed",
  "run.failed",
  "run.cancelled",
]);

type Known = { next: NextRequest | null; error: CommandError | null };

/** The next request of what the window shows, asked for anew when something has changed it. */
export function useNextRequest(of: Shown) {
  const { platform } = useArki();
  const { folder, sessionId } = of;
  const [known, setKnown] = useState<Known>({ next: null, error: null });
  const fail = (thrown: unknown) => setKnown((now) => ({ ...now, error: asCommandError(thrown) }));
  const [asked, setAsked] = useState(0);
  const stamp = useStamp(sessionId);
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked for anew whenever one of them is another
  useEffect(() => {
    let current = true;
    const ask = () =>
      platform.call("next_request", { of: { folder, sessionId } }).then(
        (next) => current && setKnown({ next, error: null }),
        (thrown) => current && fail(thrown),
      );
    const timer = setTimeout(ask, known.next === null ? 0 : settleMs);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [platform, folder, sessionId, stamp, asked]);
  const configure = async (id: string, on: boolean) => {
    if (sessionId === null) return;
    const switched = on ? { on: [id], off: [] } : { on: [], off: [id] };
    const changes = { model: null, effort: null, core: null, system: null, ...switched };
    const configured = platform.call("configure_session", { sessionId, changes });
    await configured.then((next) => setKnown({ next, error: null }), fail);
  };
  return { ...known, configure, refresh: () => setAsked((now) => now + 1) };
}

/** The last event that changed what is sent next; none of a session that is yet to begin. */
function useStamp(sessionId: string | null): number {
  const arki = useArki();
  const view = sessionId === null ? null : arki.session(sessionId).view;
  const read = () => view?.get().window.events.findLast((event) => changes.has(event.type))?.seq ?? 0;
  return useSyncExternalStore(view?.subscribe ?? never, read);
}

const never = () => () => undefined;
