import { useEffect, useState } from "react";
import { useSessionPart, useSessions } from "../../platform/context";
import type { PipelineStepEntry } from "../../protocol/generated";
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

/** The time, while one of a run's steps works; else, as while a gate waits, null. */
export function useNow(steps: readonly PipelineStepEntry[]): number | null {
  const [now, setNow] = useState(Date.now);
  const works = steps.some(({ state }) => state === "running" || state === "retrying");
  useEffect(() => {
    if (!works) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), tickMs);
    return () => clearInterval(timer);
  }, [works]);
  return works ? now : null;
}
