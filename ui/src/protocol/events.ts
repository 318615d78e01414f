/** The kinds of events, each with its own payload. What this version cannot read comes as `unknown`. */
import type { Event } from "./generated";

export type EventKind = Exclude<Event["type"], "unknown">;
export type EventOf<Kind extends Event["type"]> = Extract<Event, { type: Kind }>;
export type PayloadOf<Kind extends Event["type"]> = EventOf<Kind>["payload"];

export const endsRun: ReadonlySet<Event["type"]> = new Set(["run.completed", "run.failed", "run.cancelled"]);

/** What is done with an event, by its kind. */
export type ByKind<Given, Result> = {
  readonly [Kind in EventKind]?: (given: Given, payload: PayloadOf<Kind>, event: EventOf<Kind>) => Result;
};

/** Undefined where the table says nothing of this kind. */
export function byKind<Given, Result>(
  table: ByKind<Given, Result>,
  given: Given,
  event: Event,
): Result | undefined {
  if (event.type === "unknown") return undefined;
  // The table has for each kind what takes that kind's payload, which the compiler cannot follow.
  const step = table[event.type] as ((given: Given, payload: unknown, event: Event) => Result) | undefined;
  return step?.(given, event.payload, event);
}

/** The kind that it is stored with, known here or not. */
export function storedKind(event: Event): string {
  return event.type === "unknown" ? event.kind : event.type;
}
