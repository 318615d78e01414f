import { useSessions } from "../../platform/context";
import { useAsked } from "./useAsked";

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
