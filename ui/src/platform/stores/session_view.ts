/** One open session: its conversation, fed by pages and by live frames, and what is arriving right now. */
import { type Conversation, emptyConversation, holding } from "../../protocol/conversation";
import type { CommandError, Event, Frame, SessionPage } from "../../protocol/generated";
import {
  deltaStep,
  type Live,
  liveEventStep,
  nothingLive,
  outputStep,
  withPartial,
} from "../../protocol/live";
import * as win from "../../protocol/window";
import { asCommandError, type Platform } from "../platform";
import { type OpenOverview, openOverview } from "./overview";
import { createStore, type Store } from "./store";

export type SessionView = Conversation & {
  sessionId: string;
  status: "loading" | "ready" | "failed";
  error: CommandError | null;
  live: Live;
  fetching: "older" | "newer" | null;
};

export type OpenSession = {
  view: Store<SessionView>;
  overview: OpenOverview;
  load: () => Promise<void>;
  loadOlder: () => Promise<void>;
  loadNewer: () => Promise<void>;
  /** Makes an event one of those held. */
  loadAround: (seq: number) => Promise<void>;
  apply: (frames: readonly Frame[]) => void;
  /** Frames were lost: what is read stays, the live end is fetched anew. */
  missed: () => void;
  /** Whether the reader is away from the end: then the events being read are not dropped under them. */
  setReading: (reading: boolean) => void;
};

const fresh = (sessionId: string): SessionView => ({
  ...emptyConversation,
  sessionId,
  status: "loading",
  error: null,
  live: nothingLive,
  fetching: null,
});

export function openSession(platform: Platform, sessionId: string, now: () => number): OpenSession {
  const view = createStore<SessionView>(fresh(sessionId));
  const overview = openOverview(platform, sessionId);
  let reading = false;
  let early: Event[] = [];

  const page = (beforeSeq: number | null) =>
    platform.call("session_page", { sessionId, beforeSeq, limit: win.pageSize });

  let loading: Promise<void> = Promise.resolve();
  const load = () => {
    loading = loadEnd();
    return loading;
  };
  const loadEnd = async (): Promise<void> => {
    try {
      const got = await page(null);
      const base: win.EventWindow = { events: got.events, hasOlder: got.hasMore, hasNewer: false };
      const joined = win.appendLive(base, early, false);
      early = [];
      if (joined === "gap") return loadEnd();
      view.update((v) => ({
        ...v,
        ...holding(v, joined),
        status: "ready",
        error: null,
        live: withPartial(v.live, isStored(got) ? null : got.partial),
      }));
    } catch (thrown) {
      view.update((v) => ({ ...v, status: "failed", error: asCommandError(thrown) }));
    }
  };

  const fetchPage = async (which: "older" | "newer", beforeSeq: number | null) => {
    const { window, fetching, status } = view.get();
    const wanted = which === "older" ? window.hasOlder : window.hasNewer;
    if (!wanted || fetching !== null || status !== "ready" || beforeSeq === null) return;
    view.update((v) => ({ ...v, fetching: which }));
    try {
      const got = await page(beforeSeq);
      view.update((v) => ({
        ...v,
        ...holding(v, joinPage(v.window, which, got, beforeSeq)),
        fetching: null,
      }));
    } catch (thrown) {
      view.update((v) => ({ ...v, fetching: null, error: asCommandError(thrown) }));
    }
  };

  const loadAround = async (seq: number) => {
    await loading;
    const { events } = view.get().window;
    const first = events[0]?.seq ?? Number.POSITIVE_INFINITY;
    if (view.get().status === "ready" && seq >= first && seq <= (events.at(-1)?.seq ?? 0)) return;
    const beforeSeq = seq + win.pageSize / 2;
    reading = true;
    try {
      const got = await page(beforeSeq);
      const hasNewer = (got.events.at(-1)?.seq ?? 0) >= beforeSeq - 1;
      const around: win.EventWindow = { events: got.events, hasOlder: got.hasMore, hasNewer };
      view.update((v) => ({ ...v, ...holding(v, around), status: "ready", error: null }));
    } catch (thrown) {
      view.update((v) => ({ ...v, error: asCommandError(thrown) }));
    }
  };

  return {
    view,
    overview,
    load,
    loadAround,
    loadOlder: () => fetchPage("older", win.firstSeq(view.get().window)),
    loadNewer: () => {
      const last = win.lastSeq(view.get().window);
      return fetchPage("newer", last === null ? null : last + win.pageSize + 1);
    },
    setReading: (now) => {
      reading = now;
    },
    missed: () => {
      view.update((v) => ({ ...v, live: { ...v.live, answer: null } }));
      if (reading) view.update((v) => ({ ...v, window: { ...v.window, hasNewer: true } }));
      else void load();
      void overview.load();
    },
    apply: (frames) => {
      const v = view.get();
      const events = frames.flatMap((f) => f.events.filter((e) => e.sessionId === sessionId));
      if (events.length > 0) overview.apply(events);
      if (v.status === "loading") early = [...early, ...events];
      const joined = v.status === "ready" ? win.appendLive(v.window, events, reading) : v.window;
      const live = liveFrames(v.live, sessionId, frames, now());
      if (joined === "gap") void load();
      const isSame = joined === "gap" || joined === v.window;
      // Text that grows tells so itself: nothing else is drawn anew for it.
      if (!isSame || live !== v.live) view.set({ ...v, ...(isSame ? {} : holding(v, joined)), live });
    },
  };
}

/** The answer is whole among the events: it was kept and then stored while the page was read. */
function isStored({ events, partial }: SessionPage): boolean {
  return events.some(
    (event) =>
      event.type === "output.message" &&
      event.runId === partial?.runId &&
      event.payload.turn === partial.turn,
  );
}

function joinPage(
  window: win.EventWindow,
  which: "older" | "newer",
  got: { events: Event[]; hasMore: boolean },
  beforeSeq: number,
): win.EventWindow {
  if (which === "older") return win.prependPage(window, got.events, got.hasMore);
  const atEnd = (got.events.at(-1)?.seq ?? 0) < beforeSeq - 1;
  return win.appendPage(window, got.events, atEnd);
}

function liveFrames(live: Live, sessionId: string, frames: readonly Frame[], now: number): Live {
  let next = live;
  for (const frame of frames) {
    for (const event of frame.events) if (event.sessionId === sessionId) next = liveEventStep(next, event);
    for (const delta of frame.deltas) if (delta.sessionId === sessionId) next = deltaStep(next, delta, now);
    for (const out of frame.commandOutput) if (out.sessionId === sessionId) next = outputStep(next, out);
  }
  return next;
}
