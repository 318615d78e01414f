/** Which hooks failed. Pure. */
import type { HookOutcome, HookRan } from "./generated";

const troubles: ReadonlySet<HookOutcome> = new Set(["failed", "timed_out", "over_limit", "interrupted"]);

/** It didn't run as it should. Events of earlier versions only have an exit code. */
export function hasFailed({ outcome, exitCode }: HookRan): boolean {
  return outcome ? troubles.has(outcome) : exitCode !== 0;
}
