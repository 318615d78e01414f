/**
 * What the engine tells of a session as a whole: its plan, its queue, the files it changed. Fetched, and fetched anew
 * soon after an event that changes it; the queue alone is also folded, so that what one does to it shows at once.
 */
import type { CommandError, Event, QueuedMessage, SessionOverview } from "../../protocol/generated";
import { queueStep } from "../../protocol/queue";
import { asCommandError, type Platform } from "../platform";
import { createStore } from "./store";

export type OverviewState = {
  overview: SessionOverview | null;
  queue: readonly QueuedMessage[];
  error: CommandError | null;
};

/** A run that works changes files in bursts. */
const settleMs = 200;
const tells =
  /^(run\.|plan\.|memory\.|file\.changed|change\.taken_back|session\.(rewound|forked|configured)|approval\.resolved)/;

export function openOverview(platform: Platform, sessionId: string) {
  const state = createStore<OverviewState>({ overview: null, queue: [], error: null });
  let loadsSoon = false;
  let sending = 0;
  let heard = 0;
  let last: Promise<unknown> = Promise.resolve();

  const load = async (): Promise<void> => {
    const before = heard;
    try {
      const overview = await platform.call("session_overview", { sessionId });
      // What was heard of the queue meanwhile may not be in it.
      const queue = sending > 0 || heard !== before ? state.get().queue : overview.queue;
      state.set({ overview, queue, error: null });
      if (heard !== before) soon();
    } catch (thrown) {
      state.update((now) => ({ ...now, error: asCommandError(thrown) }));
    }
  };
  const soon = () => {
    if (loadsSoon) return;
    loadsSoon = true;
    setTimeout(() => {
      loadsSoon = false;
      void load();
    }, settleMs);
  };
  const apply = (events: readonly Event[]) => {
    // One's own changes in progress are ahead of what is heard of them.
    const queue = sending > 0 ? state.get().queue : events.reduce(queueStep, state.get().queue);
    if (events.some((event) => /^(message\.queued|queue\.changed)$/.test(event.type))) heard += 1;
    if (queue !== state.get().queue) state.update((now) => ({ ...now, queue }));
    if (events.some((event) => tells.test(event.type))) soon();
  };
  /** Shown at once, sent in order; rejects when the engine refused, after what is true was fetched. */
  const setQueue = async (change: (now: readonly QueuedMessage[]) => readonly QueuedMessage[]) => {
    const queued = change(state.get().queue);
    if (queued === state.get().queue) return;
    state.update((now) => ({ ...now, queue: queued }));
    sending += 1;
    const sent = last.then(() => platform.call("set_queue", { sessionId, queued: [...queued] }));
    last = sent.catch(() => undefined);
    try {
      await sent;
    } finally {
      sending -= 1;
      if (sending === 0) await load();
    }
  };
  return { state, load, apply, setQueue };
}
