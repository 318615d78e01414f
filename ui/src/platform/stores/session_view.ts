/** One open session: its conversation, fed by pages and by live frames, and what is arriving right now. */
import type { CommandError, Event, Frame, SessionPage } from "../../protocol/generated";
import { emptyLog, type HeldLog, holding } from "../../protocol/held_log";
import { type Live, liveFrameStep, nothingLive, withPartial } from "../../protocol/live";
import { keptFrom, nothingPlaced, type PlacedTranscript, type Transcript } from "../../protocol/transcript";
import * as win from "../../protocol/window";
import { asCommandError, type Platform } from "../platform";
import { createHeldConversation } from "./held_conversation";
import { openOverview } from "./overview";
import type { Replay } from "./replay";
import { createStore } from "./store";

export type SessionView = HeldLog & {
  transcript: Transcript;
  /** The same with where its items stand among those that the engine folds. */
  placed: PlacedTranscript;
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

export type OpenSession = ReturnType<typeof openSession>;

const fresh = (sessionId: string): SessionView => ({
  ...emptyLog,
  ...shown(nothingPlaced, win.emptyWindow),
  sessionId,
  status: "loading",
  error: null,
  live: nothingLive,
  fetching: null,
  replay: null,
});

/** So many items at the beginning the engine may have that are held here no more. */
const maxLetGo = 4000;

/** Without what began before the held events. */
function shown(all: PlacedTranscript, window: win.EventWindow) {
  const placed = keptFrom(all, win.firstSeq(window) ?? 0);
  return { placed, transcript: placed.transcript };
}

export function openSession(platform: Platform, sessionId: string, now: () => number) {
  const view = createStore<SessionView>(fresh(sessionId));
  const overview = openOverview(platform, sessionId);
  const conversation = createHeldConversation(platform, sessionId);
  /** Shows what is held anew; `more`: what else changes with it. */
  const show = (
    placed: PlacedTranscript,
    window: win.EventWindow,
    more?: (before: SessionView) => Partial<SessionView>,
  ) =>
    view.update((v) => ({
      ...v,
      ...holding(v, window),
      ...shown(placed, window),
      status: "ready",
      error: null,
      ...more?.(v),
    }));
  let reading = false;
  let heardAt = 0;
  /** Heard while the end is loaded. */
  let early: Event[] = [];
  let loads = 0;

  const page = (beforeSeq: number | null, limit = win.pageSize) =>
    platform.call("session_page", { sessionId, beforeSeq, limit });

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
    loads += 1;
    try {
      // What else a session brings when it is opened is drawn first: both in one frame would be seen as a jerk.
      const isFirst = view.get().status === "loading";
      const { page: got, placed } = await conversation.open(async () => {
        if (isFirst) await platform.painted();
      });
      if (own !== asked) return;
      const base: win.EventWindow = { events: got.events, hasOlder: got.hasMore, hasNewer: false };
      const joined = win.appendLive(base, early, false);
      if (joined === "gap") return await loadEnd();
      const partial = isStored(joined.events, got.partial) ? null : got.partial;
      show(placed, joined, ({ live }) => ({ live: withPartial(live, partial) }));
    } catch (thrown) {
      if (own === asked) view.update((v) => ({ ...v, status: "failed", error: asCommandError(thrown) }));
    } finally {
      loads -= 1;
      if (loads === 0) early = [];
    }
  };

  /** After changes were missed, or where the engine has much that was let go of here. */
  const holdAnew = async () => {
    const own = asked;
    try {
      const placed = await conversation.hold(view.get().window);
      if (own === asked && !view.get().window.hasNewer)
        view.update((v) => ({ ...v, ...shown(placed, v.window) }));
    } catch (thrown) {
      view.update((v) => ({ ...v, error: asCommandError(thrown) }));
    }
  };

  const fetchPage = async (which: "older" | "newer", beforeSeq: number | null) => {
    const { window, fetching, status } = view.get();
    const wanted = which === "older" ? window.hasOlder : window.hasNewer;
    if (!wanted || fetching !== null || status !== "ready" || beforeSeq === null) return;
    view.update((v) => ({ ...v, fetching: which }));
    const own = asked;
    /** What is held with the page; null where it doesn't fit any more. */
    const joined = (got: SessionPage) => {
      const now = view.get().window;
      const isNext =
        which === "older" ? win.firstSeq(now) === beforeSeq : win.lastSeq(now) === win.lastSeq(window);
      if (own !== asked || !isNext) return null;
      const next = joinPage(now, which, got, beforeSeq);
      // Who is at the end stays there: it is not let go of for what came before.
      return which === "older" && !reading && next.hasNewer && !now.hasNewer ? null : next;
    };
    try {
      const got = await page(beforeSeq, which === "older" ? win.olderPageSize(window) : win.pageSize);
      const wide = joined(got);
      const placed = wide && (await conversation.hold(wide));
      const held = placed && joined(got);
      view.update((v) => ({
        ...v,
        ...(held ? { ...holding(v, held), ...shown(placed, held) } : {}),
        fetching: null,
      }));
      // The engine holds what is not shown after all.
      if (placed !== null && held === null && own === asked) void holdAnew();
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
      const placed = await conversation.hold(window, true);
      if (own !== asked) return;
      const moment = { seq: to, ts: window.events.at(-1)?.ts ?? 0, last: replay.last };
      show(placed, window, () => ({ replay: moment }));
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
      show(await conversation.hold(around), around);
    } catch (thrown) {
      view.update((v) => ({ ...v, error: asCommandError(thrown) }));
    }
  };

  return {
    view,
    overview,
    load,
    /** Makes an event one of those held. */
    loadAround,
    /** Shows the conversation as it was right after an event; 0: where something is seen first; null: as it is. */
    replayTo,
    /** Goes to the next or the one before of the moments at which something changes. False: there is none. */
    replayStep,
    loadOlder: () => fetchPage("older", win.firstSeq(view.get().window)),
    loadNewer: () => {
      const last = win.lastSeq(view.get().window);
      return fetchPage("newer", last === null ? null : last + win.pageSize + 1);
    },
    /** Whether the reader is away from the end: then the events being read are not dropped under them. */
    setReading: (now: boolean) => {
      reading = now;
    },
    /** When something was last heard of it, in milliseconds since 1970; 0: never. */
    heardAt: () => heardAt,
    /** Frames were lost: what is read stays, the live end is fetched anew. */
    missed: () => {
      view.update((v) => ({ ...v, live: { ...v.live, answer: null } }));
      void overview.load();
      if (view.get().replay !== null) return;
      if (reading) view.update((v) => ({ ...v, window: { ...v.window, hasNewer: true } }));
      else void load();
    },
    apply: (frames: readonly Frame[]) => {
      const isHeard = (frame: Frame) =>
        frame.callsGrow.includes(sessionId) ||
        [frame.events, frame.deltas, frame.commandOutput].some((all) =>
          all.some((one) => one.sessionId === sessionId),
        );
      if (frames.some(isHeard)) heardAt = Date.now();
      const v = view.get();
      const events = frames.flatMap((f) => f.events.filter((e) => e.sessionId === sessionId));
      if (events.length > 0) overview.apply(events);
      if (loads > 0) early = [...early, ...events];
      // What comes meanwhile is loaded once the past is left.
      const isShown = v.status === "ready" && v.replay === null;
      const joined = isShown ? win.appendLive(v.window, events, reading) : v.window;
      const live = frames.reduce<Live>((all, frame) => liveFrameStep(all, sessionId, frame, now()), v.live);
      if (joined === "gap") void load();
      const window = joined === "gap" ? v.window : joined;
      const changes = frames.flatMap((frame) => frame.conversations);
      const { placed, transcript } = shown(conversation.after(v.placed, changes, events), window);
      // Text that grows tells so itself: nothing else is drawn anew for it.
      const isSame = window === v.window && (placed === v.placed || !isShown);
      if (!isSame || live !== v.live) {
        const goesOn = isShown && !window.hasNewer;
        view.set({ ...v, ...holding(v, window), ...(goesOn ? { placed, transcript } : {}), live });
      }
      const isBehind = placed.lastSeq < (win.lastSeq(window) ?? 0) || placed.fromPlace > maxLetGo;
      const isFollowed = isShown && joined !== "gap" && loads === 0 && !conversation.isAsking();
      if (isFollowed && !window.hasNewer && isBehind) void holdAnew();
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
