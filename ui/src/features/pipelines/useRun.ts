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

/** Whether one of a run's steps works; not while a gate waits. */
export const works = (steps: readonly PipelineStepEntry[]): boolean =>
  steps.some(({ state }) => state === "running" || state === "retrying");

/** As the engine names the agent of a pipeline's run. */
const pipelineAgent = "pipeline:";

/** Changes whenever a pipeline's run begins, stops or ends. */
function useRunsSign(): string {
  return useSessions()
    .filter(({ agent }) => agent === pipelineAgent)
    .map(({ sessionId, state }) => `${sessionId} ${state}`)
    .join("\n");
}

export function useRuns() {
  return useAsked("list_pipeline_runs", {}, useRunsSign());
}
