/** What waits to be said to the model, folded from events on top of what the engine told. Pure. */
import type { PayloadOf } from "./events";
import type { Event, QueuedMessage } from "./generated";

type Queue = readonly QueuedMessage[];

export function queueStep(queue: Queue, event: Event): Queue {
  if (event.type === "message.queued") return queued(queue, event.payload);
  if (event.type === "queue.changed") return rearranged(queue, event.payload);
  if (event.type === "run.started") {
    const begun = event.payload.messageId;
    return queue.some((one) => one.messageId === begun)
      ? queue.filter((one) => one.messageId !== begun)
      : queue;
  }
  return queue;
}

/** What was fetched may already hold a message whose event comes after. */
function queued(queue: Queue, { messageId, text, mode }: PayloadOf<"message.queued">): Queue {
  if (queue.some((one) => one.messageId === messageId)) return queue;
  return [...queue, { messageId, text, mode }];
}

function rearranged(queue: Queue, p: PayloadOf<"queue.changed">): QueuedMessage[] {
  const known = new Map(queue.map((one) => [one.messageId, one.text]));
  return p.queued.flatMap(({ messageId, mode, ...edited }) => {
    const text = edited.text ?? known.get(messageId);
    return text === undefined ? [] : [{ messageId, text, mode }];
  });
}

/** The message one place nearer to the front (-1) or the back (1); the same list where there is no place. */
export function moved(queue: Queue, messageId: string, by: 1 | -1): Queue {
  const from = queue.findIndex((one) => one.messageId === messageId);
  const message = queue[from];
  const to = from + by;
  if (!message || to < 0 || to >= queue.length) return queue;
  return queue.toSpliced(from, 1).toSpliced(to, 0, message);
}

export function changed(queue: Queue, messageId: string, patch: Partial<QueuedMessage>): Queue {
  return queue.map((one) => (one.messageId === messageId ? { ...one, ...patch } : one));
}
