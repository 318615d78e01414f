/**
 * The part of a session's log that is held, with what was decided and used in it: events at the end cost a step each, and
 * everything else is added up anew. What is said and done is the engine's fold (`transcript.ts`). Pure.
 */
import { type DecidedState, decidedStep, emptyDecided } from "./approvals";
import type { Event } from "./generated";
import { noUsage, type Usage, usageStep } from "./usage";
import { type EventWindow, emptyWindow } from "./window";

export type HeldLog = {
  window: EventWindow;
  decided: DecidedState;
  usage: Usage;
};

export const emptyLog: HeldLog = {
  window: emptyWindow,
  decided: emptyDecided,
  usage: noUsage,
};

/** The same conversation with another part of its log held. */
export function holding(before: HeldLog, window: EventWindow): HeldLog {
  if (window === before.window) return before;
  const from = continues(before.window.events, window.events) ? before : emptyLog;
  return window.events.slice(from.window.events.length).reduce(step, { ...from, window });
}

/** Whether the events only go on after those that are folded already. */
function continues(folded: readonly Event[], events: readonly Event[]): boolean {
  return events[0] === folded[0] && events[folded.length - 1] === folded.at(-1);
}

function step(log: HeldLog, event: Event): HeldLog {
  return {
    window: log.window,
    decided: decidedStep(log.decided, event),
    usage: usageStep(log.usage, event),
  };
}
