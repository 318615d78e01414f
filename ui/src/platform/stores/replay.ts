/**
 * Moving through a session's past: a stretch of its log around the moment that is shown, fetched where the moment leaves
 * it. The log is asked for nothing else, so a session of any length is gone through alike.
 */
import type { Event } from "../../protocol/generated";
import { type EventWindow, pageSize } from "../../protocol/window";

type Page = { events: Event[]; hasMore: boolean };

export type Replay = {
  /** The number of the last event, as of when the replay began. */
  last: number;
  /** What is held at a moment: the events up to it. */
  at: (seq: number) => Promise<EventWindow>;
  /** The next moment at which something can be seen; null where there is none. */
  stepFrom: (seq: number, by: 1 | -1) => Promise<number | null>;
};

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
export async function beginReplay(page: (beforeSeq: number | null) => Promise<Page>): Promise<Replay> {
  let { events, hasMore } = await page(null);
  const last = events.at(-1)?.seq ?? 0;
  const fetch = async (beforeSeq: number) => {
    ({ events, hasMore } = await page(beforeSeq));
  };
  const first = () => events[0]?.seq ?? 1;
  const end = () => events.at(-1)?.seq ?? 0;
  return {
    last,
    at: async (seq) => {
      if (seq < first() || seq > end()) await fetch(seq + pageSize / 2);
      return { events: events.filter((event) => event.seq <= seq), hasOlder: hasMore, hasNewer: false };
    },
    stepFrom: async (seq, by) => {
      const isNext = (event: Event) => seen.has(event.type) && (by === 1 ? event.seq > seq : event.seq < seq);
      for (;;) {
        const found = by === 1 ? events.find(isNext) : events.findLast(isNext);
        if (found) return found.seq <= last ? found.seq : null;
        if (by === 1 ? end() >= last : !hasMore) return null;
        await fetch(by === 1 ? end() + pageSize + 1 : first());
      }
    },
  };
}
