/** What a run's events tell of one of its steps: its attempts, and what it was kept as. Pure. */
import type { EventOf } from "../../protocol/events";
import type { ArtifactEmitted, Event } from "../../protocol/generated";

export type StepEvent = EventOf<"step.started" | "step.completed" | "step.failed" | "step.skipped">;

const tells = new Set<Event["type"]>(["step.started", "step.completed", "step.failed", "step.skipped"]);

function isOfStep(event: Event): event is StepEvent {
  return tells.has(event.type);
}

/** The step's own events and those of its items, the oldest first. */
export function eventsOf(events: readonly Event[], runId: string, step: string): StepEvent[] {
  const isNamed = (name: string) => name === step || name.startsWith(`${step}[`);
  return events.filter(isOfStep).filter((event) => event.runId === runId && isNamed(event.payload.step));
}

/** When a step's attempt began that has not ended; null where none is known. */
export function beganAt(events: readonly Event[], runId: string, step: string): number | null {
  const last = events
    .filter(isOfStep)
    .findLast((event) => event.runId === runId && event.payload.step === step);
  return last?.type === "step.started" ? last.ts : null;
}

/** Told right after the step whose output it is. */
export function artifactsOf(events: readonly Event[], runId: string, step: string): ArtifactEmitted[] {
  const hashes = new Set(
    eventsOf(events, runId, step).flatMap((event) =>
      event.type === "step.completed" && event.payload.step === step ? [event.payload.outputHash] : [],
    ),
  );
  return events
    .filter((event) => event.type === "artifact.emitted")
    .filter((event, at, all) => {
      const { artifactId, contentHash } = event.payload;
      const isFirst = all.findIndex((one) => one.payload.artifactId === artifactId) === at;
      return event.runId === runId && hashes.has(contentHash) && isFirst;
    })
    .map(({ payload }) => payload);
}
