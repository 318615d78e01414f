/** What waits to be said to the model, folded from events on top of what the engine told. Pure. */
import type { Event, QueuedMessage, QueueMode } from "./generated";
import { isRecord, type Json, list, maybeText, payloadOf, text } from "./read";

export function queueStep(queue: readonly QueuedMessage[], event: Event): readonly QueuedMessage[] {
  const p = payloadOf(event);
  if (event.type === "message.queued") return queued(queue, p);
  if (event.type === "queue.changed") return rearranged(queue, p);
  if (event.type === "run.started") {
    const begun = maybeText(p, "messageId");
    return queue.some((one) => one.messageId === begun)
      ? queue.filter((one) => one.messageId !== begun)
      : queue;
  }
  return queue;
}

/** What was fetched may already hold a message whose event comes after. */
function queued(queue: readonly QueuedMessage[], p: Json): readonly QueuedMessage[] {
  const messageId = text(p, "messageId");
  if (messageId === "" || queue.some((one) => one.messageId === messageId)) return queue;
  return [...queue, { messageId, text: text(p, "text"), mode: mode(p) }];
}

function rearranged(queue: readonly QueuedMessage[], p: Json): QueuedMessage[] {
  const known = new Map(queue.map((one) => [one.messageId, one]));
  return list(p, "queued").flatMap((entry) => {
    if (!isRecord(entry)) return [];
    const messageId = text(entry, "messageId");
    const words = maybeText(entry, "text") ?? known.get(messageId)?.text;
    return words === undefined ? [] : [{ messageId, text: words, mode: mode(entry) }];
  });
}

const mode = (p: Json): QueueMode => (text(p, "mode") === "steer" ? "steer" : "follow_up");

/** The message one place nearer to the front (-1) or the back (1); the same list where there is no place. */
export function moved(
  queue: readonly QueuedMessage[],
  messageId: string,
  by: 1 | -1,
): readonly QueuedMessage[] {
  const from = queue.findIndex((one) => one.messageId === messageId);
  const message = queue[from];
  const to = from + by;
  if (!message || to < 0 || to >= queue.length) return queue;
  return queue.toSpliced(from, 1).toSpliced(to, 0, message);
}

export function changed(
  queue: readonly QueuedMessage[],
  messageId: string,
  patch: Partial<QueuedMessage>,
): readonly QueuedMessage[] {
  return queue.map((one) => (one.messageId === messageId ? { ...one, ...patch } : one));
}
