/**
 * A conversation: the part of its log that is held, and all that is folded from it. There is one fold, whether events
 * come in pages or live: events at the end cost a step each, and everything else is folded anew. Pure.
 */
import { type DecidedState, decidedStep, emptyDecided } from "./approvals";
import type { Event } from "./generated";
import { emptyTranscript, type Transcript, transcriptStep } from "./transcript";
import { noUsage, type Usage, usageStep } from "./usage";
import { type EventWindow, emptyWindow } from "./window";

export type Conversation = {
  window: EventWindow;
  transcript: Transcript;
  decided: DecidedState;
  usage: Usage;
};

export const emptyConversation: Conversation = {
  window: emptyWindow,
  transcript: emptyTranscript,
  decided: emptyDecided,
  usage: noUsage,
};

/** The same conversation with another part of its log held. */
export function holding(before: Conversation, window: EventWindow): Conversation {
  if (window === before.window) return before;
  const from = continues(before.window.events, window.events) ? before : emptyConversation;
  return window.events.slice(from.window.events.length).reduce(step, { ...from, window });
}

/** Whether the events only go on after those that are folded already. */
function continues(folded: readonly Event[], events: readonly Event[]): boolean {
  return events[0] === folded[0] && events[folded.length - 1] === folded.at(-1);
}

function step(conversation: Conversation, event: Event): Conversation {
  return {
    window: conversation.window,
    transcript: transcriptStep(conversation.transcript, event),
    decided: decidedStep(conversation.decided, event),
    usage: usageStep(conversation.usage, event),
  };
}
