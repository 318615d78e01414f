/** Which hooks the user is told of: those that failed, objected or are off. One that did its work stays unseen. Pure. */
import type { HookOutcome, HookRan } from "./generated";

const troubles: ReadonlySet<HookOutcome> = new Set(["failed", "timed_out", "over_limit", "interrupted"]);
const objections: ReadonlySet<HookOutcome> = new Set(["blocked", "asked", "stopped", "off"]);

/** It didn't run as it should. Events of earlier versions only have an exit code. */
export function hasFailed({ outcome, exitCode }: HookRan): boolean {
  return outcome ? troubles.has(outcome) : exitCode !== 0;
}

/** Told on the card of the call that it ran for. */
export function isToldOfCall(ran: HookRan): boolean {
  return hasFailed(ran) || (ran.outcome ? objections.has(ran.outcome) : false);
}

/**
 * Told in a line of its own. A hook that blocks a run's prompt or stops the run is told by the run's failure; one that
 * holds the run, or keeps a queued message back, by nothing else.
 */
export function isToldAlone(ran: HookRan): boolean {
  const holds = ran.event === "Stop" || Boolean(ran.messageId);
  return hasFailed(ran) || ran.outcome === "off" || (ran.outcome === "blocked" && holds);
}
