import { useEffect, useState } from "react";
import { useSessionPart, useSessions } from "../../platform/context";
import type { SessionState } from "../../protocol/generated";
import { isActive } from "../../protocol/sessions";
import { useAsked } from "./useAsked";

/** A run and the session that it works in. */
export type RunPlace = { runId: string; sessionId: string };

/** A run with its steps, asked for again when its session has new events; and these events, as far as they are loaded. */
export function useRun({ runId, sessionId }: RunPlace) {
  const window = useSessionPart(sessionId, (view) => view.window);
  const state = useSessions().find((one) => one.sessionId === sessionId)?.state ?? "";
  const run = useAsked("pipeline_run", { runId }, `${window.events.at(-1)?.seq ?? 0} ${state}`);
  return { ...run, events: window.events, hasOlder: window.hasOlder };
}

const tickMs = 1000;

/** The time, while a run works; else null. */
export function useNow(state: SessionState): number | null {
  const [now, setNow] = useState(Date.now);
  const works = isActive(state);
  useEffect(() => {
    if (!works) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), tickMs);
    return () => clearInterval(timer);
  }, [works]);
  return works ? now : null;
}
