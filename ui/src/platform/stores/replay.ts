/**
 * Moving through a session's past: a stretch of its log around the moment that is shown, fetched where the moment leaves
 * it. The log is asked for nothing else, so a session of any length is gone through alike.
 */
import type { Event } from "../../protocol/generated";
import { type EventWindow, pageSize } from "../../protocol/window";

type Page = { events: Event[]; hasMore: boolean };

export type Replay = Awaited<ReturnType<typeof beginReplay>>;

/** Events by which something else is seen in the conversation or the files. */
const seen: ReadonlySet<string> = new Set([
  "run.started",
  "run.paused",
  "run.completed",
  "run.failed",
  "run.cancelled",
  "output.message",
  "tool.result",
  "tool.async_result",
  "approval.requested",
  "approval.resolved",
  "file.changed",
  "plan.proposed",
  "question.asked",
  "question.answered",
  "session.rewound",
  "change.taken_back",
  "context.compacted",
]);

/** `page` has the last events before a number, or of all where it is null. */
export async function beginReplay(page: (beforeSeq: number | null) => Promise<Page>) {
  let held = await page(null);
  const last = endOf(held);
  const fetch = async (beforeSeq: number) => {
    held = await page(beforeSeq);
    return held;
  };
  /** A stretch with this moment; several may be asked for at once, and each goes by its own. */
  const around = async (seq: number) =>
    seq >= firstOf(held) - 1 && seq <= endOf(held) ? held : fetch(seq + pageSize / 2);
  return {
    /** The number of the last event, as of when the replay began. */
    last,
    /** What is held at a moment: the events up to it. */
    at: async (seq: number): Promise<EventWindow> => {
      const { events, hasMore } = await around(seq);
      return { events: events.filter((event) => event.seq <= seq), hasOlder: hasMore, hasNewer: false };
    },
    /** The next moment at which something can be seen; null where there is none. */
    stepFrom: async (seq: number, by: 1 | -1): Promise<number | null> => {
      const isNext = (event: Event) => seen.has(event.type) && (by === 1 ? event.seq > seq : event.seq < seq);
      for (let stretch = await around(seq); ; ) {
        const { events, hasMore } = stretch;
        const found = by === 1 ? events.find(isNext) : events.findLast(isNext);
        if (found) return found.seq <= last ? found.seq : null;
        if (by === 1 ? endOf(stretch) >= last : !hasMore) return null;
        stretch = await fetch(by === 1 ? endOf(stretch) + pageSize + 1 : firstOf(stretch));
      }
    },
  };
}

const firstOf = ({ events }: Page) => events[0]?.seq ?? 1;
const endOf = ({ events }: Page) => events.at(-1)?.seq ?? 0;
