/** One open session: its conversation, fed by pages and by live frames, and what is arriving right now. */
import { type Conversation, emptyConversation, holding } from "../../protocol/conversation";
import type { CommandError, Event, Frame, SessionPage } from "../../protocol/generated";
import { type Live, liveFrameStep, nothingLive, withPartial } from "../../protocol/live";
import * as win from "../../protocol/window";
import { asCommandError, type Platform } from "../platform";
import { type OpenOverview, openOverview } from "./overview";
import type { Replay } from "./replay";
import { createStore, type Store } from "./store";

export type SessionView = Conversation & {
  sessionId: string;
  status: "loading" | "ready" | "failed";
  error: CommandError | null;
  live: Live;
  fetching: "older" | "newer" | null;
  /** The moment of the past that is shown instead of the end. */
  replay: Moment | null;
};

/** An event; `last` is the number of the session's last one. */
export type Moment = { seq: number; ts: number; last: number };

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
  /** Shows the conversation as it was right after an event; 0: where something is seen first; null: as it is. */
  replayTo: (seq: number | null) => Promise<void>;
  /** Goes to the next or the one before of the moments at which something changes. False: there is none. */
  replayStep: (by: 1 | -1) => Promise<boolean>;
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
  replay: null,
});

export function openSession(platform: Platform, sessionId: string, now: () => number): OpenSession {
  const view = createStore<SessionView>(fresh(sessionId));
  const overview = openOverview(platform, sessionId);
  let reading = false;
  let early: Event[] = [];

  const page = (beforeSeq: number | null) =>
    platform.call("session_page", { sessionId, beforeSeq, limit: win.pageSize });

  let replaying: Promise<Replay> | null = null;
  /** Which moment was asked for last; what was asked before it is not shown any more. */
  let asked = 0;

  let loading: Promise<void> = Promise.resolve();
  const load = () => {
    const { replay } = view.get();
    loading = replay === null ? loadEnd() : replayTo(replay.seq);
    return loading;
  };
  const loadEnd = async (): Promise<void> => {
    const own = asked;
    try {
      const got = await page(null);
      // What else a session brings when it is opened is drawn first: both in one frame would be seen as a jerk.
      if (view.get().status === "loading") await platform.painted();
      if (own !== asked) return;
      const base: win.EventWindow = { events: got.events, hasOlder: got.hasMore, hasNewer: false };
      const joined = win.appendLive(base, early, false);
      early = [];
      if (joined === "gap") return loadEnd();
      view.update((v) => ({
        ...v,
        ...holding(v, joined),
        status: "ready",
        error: null,
        live: withPartial(v.live, isStored(joined.events, got.partial) ? null : got.partial),
      }));
    } catch (thrown) {
      if (own === asked) view.update((v) => ({ ...v, status: "failed", error: asCommandError(thrown) }));
    }
  };

  const fetchPage = async (which: "older" | "newer", beforeSeq: number | null) => {
    const { window, fetching, status } = view.get();
    const wanted = which === "older" ? window.hasOlder : window.hasNewer;
    if (!wanted || fetching !== null || status !== "ready" || beforeSeq === null) return;
    view.update((v) => ({ ...v, fetching: which }));
    const own = asked;
    try {
      const got = await page(beforeSeq);
      view.update((v) => ({
        ...v,
        ...(own === asked ? holding(v, joinPage(v.window, which, got, beforeSeq)) : {}),
        fetching: null,
      }));
    } catch (thrown) {
      view.update((v) => ({ ...v, fetching: null, error: asCommandError(thrown) }));
    }
  };

  const replayTo = async (seq: number | null) => {
    asked += 1;
    const own = asked;
    if (seq === null) {
      replaying = null;
      view.update((v) => ({ ...v, replay: null }));
      return load();
    }
    try {
      replaying ??= import("./replay").then(({ beginReplay }) => beginReplay(page));
      const replay = await replaying;
      const to = seq < 1 ? ((await replay.stepFrom(0, 1)) ?? 1) : Math.min(seq, replay.last);
      const window = await replay.at(to);
      // The slider has moved on meanwhile.
      if (own !== asked) return;
      const moment = { seq: to, ts: window.events.at(-1)?.ts ?? 0, last: replay.last };
      view.update((v) => ({ ...v, ...holding(v, window), status: "ready", error: null, replay: moment }));
    } catch (thrown) {
      if (own !== asked) return;
      replaying = null;
      view.update((v) => ({ ...v, status: "failed", error: asCommandError(thrown) }));
    }
  };
  let stepping: Promise<boolean> = Promise.resolve(true);
  /** One step after the other, however quickly they are asked for. */
  const replayStep = (by: 1 | -1) => {
    stepping = stepping.then(() => stepped(by));
    return stepping;
  };
  const stepped = async (by: 1 | -1) => {
    const { replay: moment } = view.get();
    if (moment === null || replaying === null) return false;
    const next = await replaying.then((replay) => replay.stepFrom(moment.seq, by)).catch(() => null);
    if (next !== null && view.get().replay?.seq === moment.seq) await replayTo(next);
    return next !== null;
  };

  const loadAround = async (seq: number) => {
    if (view.get().replay !== null) return replayTo(seq);
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
    replayTo,
    replayStep,
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
      void overview.load();
      if (view.get().replay !== null) return;
      if (reading) view.update((v) => ({ ...v, window: { ...v.window, hasNewer: true } }));
      else void load();
    },
    apply: (frames) => {
      const v = view.get();
      const events = frames.flatMap((f) => f.events.filter((e) => e.sessionId === sessionId));
      if (events.length > 0) overview.apply(events);
      if (v.status === "loading") early = [...early, ...events];
      // What comes meanwhile is loaded once the past is left.
      const isShown = v.status === "ready" && v.replay === null;
      const joined = isShown ? win.appendLive(v.window, events, reading) : v.window;
      const live = frames.reduce<Live>((all, frame) => liveFrameStep(all, sessionId, frame, now()), v.live);
      if (joined === "gap") void load();
      const isSame = joined === "gap" || joined === v.window;
      // Text that grows tells so itself: nothing else is drawn anew for it.
      if (!isSame || live !== v.live) view.set({ ...v, ...(isSame ? {} : holding(v, joined)), live });
    },
  };
}

/** The answer is whole among the events: it was kept, and then stored while the page was read or waited to be shown. */
function isStored(events: readonly Event[], partial: SessionPage["partial"]): boolean {
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
