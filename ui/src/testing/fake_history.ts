/** The scripted engine's side of queues and the past: enough to try everything by hand, told by events as the engine would. */
import type { Answer, CommandName, Params } from "../platform/platform";
import { type EventKind, type PayloadOf, storedKind } from "../protocol/events";
import type {
  Event,
  Frame,
  LineOrigin,
  QueuedMessage,
  RewindPreview,
  SearchHit,
  SessionOverview,
  SessionSummary,
} from "../protocol/generated";
import { queueStep } from "../protocol/queue";
import { eventOf } from "./events";

type Handlers = { [Name in CommandName]?: (params: Params<Name>) => Answer<Name> };

export type World = {
  logs: Record<string, Event[]>;
  sessions: SessionSummary[];
  send: (part: Partial<Frame>) => void;
  overviews: Record<string, Partial<SessionOverview>>;
  preview: Omit<RewindPreview, "toSeq" | "prompt">;
  lines: LineOrigin[];
};

export function historyHandlers(world: World): Handlers {
  const { logs } = world;
  const log = (sessionId: string) => logs[sessionId] ?? [];
  const tell = <Kind extends EventKind>(
    sessionId: string,
    type: Kind,
    payload: Partial<PayloadOf<Kind>> = {},
  ) => {
    const last = log(sessionId).at(-1);
    const seq = (last?.seq ?? 0) + 1;
    const placed = {
      eventId: `${sessionId}-${seq}`,
      runId: last?.runId ?? null,
      sessionId,
      seq,
      ts: (last?.ts ?? 0) + 1000,
      prevHash: last?.hash ?? "",
      hash: `${seq}`.padStart(64, "b"),
    };
    const event = eventOf(placed, type, payload);
    world.send({ events: [event] });
    return event;
  };
  const found = (isWanted: (session: SessionSummary) => boolean, words: string) =>
    world.sessions.filter(isWanted).flatMap((session) =>
      log(session.sessionId)
        .toReversed()
        .flatMap((event) => hit(session, event, words)),
    );
  const queueOf = (sessionId: string) => log(sessionId).reduce(queueStep, noMessages);
  const rewound = (params: Params<"rewind">): RewindPreview => ({
    ...(params.files ? world.preview : { changes: [], diff: "" }),
    toSeq: params.toSeq,
    prompt: promptAfter(log(params.sessionId), params.toSeq),
  });
  return {
    session_overview: ({ sessionId }) => ({
      ...overviewOf(log(sessionId)),
      queue: [...queueOf(sessionId)],
      ...world.overviews[sessionId],
    }),
    set_queue: ({ sessionId, queued }) => {
      tell(sessionId, "queue.changed", { queued: [...queued] });
      return null;
    },
    send_next: ({ of: { sessionId } }) => {
      if (sessionId === null) throw new Error("no session is shown");
      const first = queueOf(sessionId)[0];
      tell(sessionId, "run.started", { prompt: first?.text ?? "", messageId: first?.messageId });
      return { sessionId, runId: "next", messageId: null };
    },
    pause_run: ({ sessionId }) => {
      tell(sessionId, "run.paused", { reason: "user" });
      return null;
    },
    resume_run: ({ of: { sessionId } }) => {
      if (sessionId === null) throw new Error("no session is shown");
      tell(sessionId, "run.resumed", { reason: "user" });
      return null;
    },
    retry_now: () => null,
    stop_run: ({ sessionId }) => {
      tell(sessionId, "run.cancelled", {});
      return null;
    },
    replay_files: ({ sessionId, seq }) => {
      const changed = log(sessionId).filter((event) => event.type === "file.changed");
      const paths = [...new Set(changed.map((event) => pathOf(event)))];
      const isThere = (path: string) => changed.some((event) => event.seq <= seq && pathOf(event) === path);
      return paths.map((path) => ({ path, change: isThere(path) ? "modified" : null }));
    },
    replay_file: ({ seq, path }) => ({ path, diff: "", text: `${path} at ${seq}`, isCut: false }),
    session_result: ({ sessionId }) => {
      const changed = log(sessionId).filter((event) => event.type === "file.changed");
      const paths = [...new Set(changed.map((event) => pathOf(event)))];
      const facts = { change: "modified" as const, added: 2, removed: 1, isChangedSince: false };
      const isCommitted = log(sessionId).at(-1)?.type === "changes.committed";
      return {
        message: "Change it",
        branch: "main",
        files: paths.map((path) => ({ path, isCommitted, ...facts })),
      };
    },
    commit_changes: ({ sessionId, message }) => {
      const files = [
        ...new Set(log(sessionId).flatMap((event) => (event.type === "file.changed" ? [pathOf(event)] : []))),
      ];
      tell(sessionId, "changes.committed", { commit: "0123456789", message, files });
      return { commit: "0123456789", files, mixed: [], leftOut: [], notRun: [] };
    },
    rewind_preview: rewound,
    rewind: (params) => {
      const done = rewound(params);
      const { sessionId, ...what } = params;
      tell(sessionId, "session.rewound", { ...what, changes: done.changes });
      return done;
    },
    fork_session: ({ sessionId, atSeq }) => {
      const origin = world.sessions.find((one) => one.sessionId === sessionId);
      const forkId = `fork ${world.sessions.length}`;
      const fork = { sessionId: forkId, state: "idle" as const, origin: sessionId, parent: null };
      const made = { ...summary, ...origin, ...fork };
      world.sessions = [made, ...world.sessions];
      tell(forkId, "session.created", { title: made.title, project: made.project, parentSession: sessionId });
      tell(forkId, "session.forked", { fromSession: sessionId, fromSeq: atSeq ?? log(sessionId).length });
      return made;
    },
    line_origins: () => world.lines,
    begin_observations: () => 1,
    next_observations: () => null,
    end_observations: () => null,
    take_back_preview: ({ seq }) => ({ ...world.preview, toSeq: seq, prompt: null }),
    take_back: ({ sessionId, seq }) => {
      tell(sessionId, "change.taken_back", { seq, changes: world.preview.changes });
      return { ...world.preview, toSeq: seq, prompt: null };
    },
    search_sessions: ({ text: wanted, project, limit }) =>
      found((session) => project === null || session.project === project, wanted).slice(0, limit),
    find_in_session: ({ sessionId, text: wanted, limit }) =>
      found((session) => session.sessionId === sessionId, wanted).slice(0, limit),
    export_session: ({ sessionId, format }) => `/home/ada/Downloads/${sessionId}.${format}`,
    import_sessions: () => null,
    import_history: () => ({ sessions: [], faults: [] }),
    rename_session: ({ sessionId, title }) => {
      tell(sessionId, "session.configured", { title });
      return title;
    },
    remove_session: ({ sessionId }) => {
      const subagents = world.sessions.filter((one) => one.parent === sessionId).map((one) => one.sessionId);
      world.sessions = world.sessions.filter(
        (one) => one.sessionId !== sessionId && one.parent !== sessionId,
      );
      return { sessionId, freedBytes: 1_240_000, subagents };
    },
  };
}

const noMessages: readonly QueuedMessage[] = [];
const noUsage = { promptTokens: 0, completionTokens: 0, totalTokens: 0, cachedTokens: 0, costUsd: null };
const summary = {
  title: "",
  project: "",
  createdAt: 0,
  updatedAt: 0,
  pendingApprovals: 0,
  agent: "arki",
  pinned: false,
  archived: false,
};

function promptAfter(events: readonly Event[], toSeq: number): string | null {
  const next = events.find((event) => event.seq === toSeq + 1);
  return next?.type === "run.started" ? next.payload.prompt : null;
}

function overviewOf(events: readonly Event[]): SessionOverview {
  const changed = events.filter((event) => event.type === "file.changed");
  const paths = [...new Set(changed.map((event) => event.payload.path))];
  const plan = events.findLast((event) => event.type === "plan.proposed" || event.type === "plan.updated");
  return {
    plan: plan?.payload ?? null,
    usage: noUsage,
    queue: [],
    changedFiles: paths.map((path) => {
      const of = changed.filter((event) => event.payload.path === path);
      return { path, changes: of.length, lastSeq: of.at(-1)?.seq ?? 0 };
    }),
    memory: [],
    origin: null,
    brokenAt: null,
    model: null,
    effort: null,
    runBy: null,
  };
}

const around = 60;

function saidBy(event: Event): string {
  if (event.type === "run.started") return event.payload.prompt;
  if (event.type === "output.message") return event.payload.content;
  return event.type === "tool.result" ? event.payload.result : "";
}

function hit(session: SessionSummary, event: Event, asked: string): SearchHit[] {
  const wanted = asked.replace(/\*$/, "");
  const said = saidBy(event);
  const at = said.toLowerCase().indexOf(wanted.toLowerCase());
  if (at < 0) return [];
  const end = at + wanted.length;
  return [
    {
      sessionId: session.sessionId,
      seq: event.seq,
      type: storedKind(event),
      ts: event.ts,
      title: session.title,
      project: session.project,
      snippet: [
        { text: `${at > around ? "…" : ""}${said.slice(Math.max(0, at - around), at)}`, hit: false },
        { text: said.slice(at, end), hit: true },
        { text: said.slice(end, end + around), hit: false },
      ],
    },
  ];
}

function pathOf(event: Event): string {
  return storedKind(event) === "file.changed" ? (event.payload as PayloadOf<"file.changed">).path : "";
}
