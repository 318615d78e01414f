/**
 * Everything the window knows of the engine: one store a concern, fed by one subscription to frames, and the
 * actions that call commands. Holds no view state such as selection or layout.
 */
import { type PendingApproval, pendingStep } from "../../protocol/approvals";
import type {
  AppState,
  CommandError,
  ElicitationSummary,
  Event,
  Frame,
  MemoryEntry,
  ModelEntry,
  ProjectState,
  ProviderEntry,
  QuestionSummary,
  SessionSummary,
  SilentProvider,
} from "../../protocol/generated";
import { questionsStep } from "../../protocol/questions";
import { sessionsStep } from "../../protocol/sessions";
import { asCommandError, type Platform } from "../platform";
import { createFrameQueue } from "./frame_queue";
import { createLineCounts } from "./line_counts";
import { type OpenSession, openSession } from "./session_view";
import { createStore } from "./store";
import { createUpdates } from "./updates";

export type Catalogue = {
  models: ModelEntry[];
  providers: ProviderEntry[];
  /** Local servers that did not list their models when they were last asked. */
  silent: SilentProvider[];
  error: CommandError | null;
};

/** Null until it has been asked for. */
export type Memories = { entries: readonly MemoryEntry[] | null; error: CommandError | null };

export type Arki = ReturnType<typeof createArki>;

/** Views kept after leaving them, so that going back is instant. */
const keptViews = 4;

const hidesSecrets = (event: Event) =>
  event.type === "approval.requested" && JSON.stringify(event.payload).includes("[secret:");

const proposes = ({ type }: Event) => type === "memory.reflected" || type === "memory.reviewed";

const changesGit = (event: Event) =>
  event.type === "change.taken_back" ||
  event.type === "changes.committed" ||
  (event.type === "session.rewound" && event.payload.files);

export function createArki(platform: Platform, now: () => number) {
  const app = createStore<AppState | null>(null);
  const failure = createStore<CommandError | null>(null);
  const ready = createStore(false);
  const sessions = createStore<readonly SessionSummary[]>([]);
  const approvals = createStore<readonly PendingApproval[]>([]);
  const questions = createStore<readonly QuestionSummary[]>([]);
  const elicitations = createStore<readonly ElicitationSummary[]>([]);
  const catalogue = createStore<Catalogue>({ models: [], providers: [], silent: [], error: null });
  const memories = createStore<Memories>({ entries: null, error: null });
  const lines = createLineCounts(platform);
  const updates = createUpdates(platform);
  const gitChanges = createStore(0);
  const views = new Map<string, OpenSession>();
  /** Sessions the list does not know, such as a delegate's: asked for once, not at each of their events. */
  const askedFor = new Set<string>();
  /** What another process begins, or asks the user, is worth asking for again. */
  const matters = new Set(["session.created", "run.started", "approval.requested", "question.asked"]);

  const setProject = (project: ProjectState) => {
    app.update((state) => state && { ...state, project, recentProjects: recent(state, project.path) });
    return project;
  };
  // One after the other: the engine's open folder is then the one that was asked for last, and so is the window's.
  let lastAsked: string | null = null;
  let lastOpened: Promise<unknown> = Promise.resolve();
  const refreshSessions = async () => sessions.set(await platform.call("list_sessions", {}));
  const refreshApprovals = async () => {
    const pending = await platform.call("list_approvals", {});
    // The list does not say what superseded what; the event that was heard before did.
    const heard = new Map(approvals.get().map((one) => [one.approvalId, one.supersedes]));
    approvals.set(pending.map((one) => ({ ...one, supersedes: heard.get(one.approvalId) ?? null })));
  };
  const refreshQuestions = async () => questions.set(await platform.call("list_questions", {}));
  const refreshElicitations = async () => elicitations.set(await platform.call("list_elicitations", {}));
  /** Each new session asks; where nothing is new, nothing is drawn anew. */
  const refreshApp = async () => {
    const state = await platform.call("app_state", {});
    app.update((known) => (JSON.stringify(known) === JSON.stringify(state) ? known : state));
  };
  const refreshCatalogue = async () => {
    try {
      const [models, providers] = await Promise.all([
        platform.call("list_models", {}),
        platform.call("list_providers", {}),
      ]);
      catalogue.update(({ silent }) => ({ models, providers, silent, error: null }));
    } catch (thrown) {
      catalogue.update((now) => ({ ...now, error: asCommandError(thrown) }));
    }
  };

  const refreshLiveModels = async () => {
    try {
      const live = await platform.call("live_models", {});
      catalogue.update((now) => ({ ...now, ...live }));
    } catch (thrown) {
      catalogue.update((now) => ({ ...now, error: asCommandError(thrown) }));
    }
  };

  const refreshMemory = async () => {
    try {
      const folder = app.get()?.project?.path ?? null;
      memories.set({ entries: await platform.call("list_memory", { folder }), error: null });
    } catch (thrown) {
      memories.update((now) => ({ ...now, error: asCommandError(thrown) }));
    }
  };

  const missed = () => {
    for (const view of views.values()) view.missed();
    const lists = [refreshSessions(), refreshApprovals(), refreshQuestions(), refreshElicitations()];
    void Promise.all(lists).catch(() => undefined);
  };

  const apply = (frames: Frame[]) => {
    const events = frames.flatMap((frame) => frame.events);
    if (events.length > 0) {
      sessions.update((list) => events.reduce(sessionsStep, list));
      approvals.update((list) => events.reduce(pendingStep, list));
      questions.update((list) => events.reduce(questionsStep, list));
      lines.apply(events);
      if (events.some(changesGit)) gitChanges.update((count) => count + 1);
      // The log has placeholders where the review shows the secrets themselves.
      if (events.some(proposes)) void refreshMemory();
      if (events.some(hidesSecrets)) void refreshApprovals().catch(() => undefined);
    }
    for (const view of views.values()) view.apply(frames);
    if (frames.some((frame) => frame.missed)) missed();
    if (frames.some((frame) => frame.elicitationsChanged)) void refreshElicitations().catch(() => undefined);
    if (events.length === 0) return;
    const known = new Set(sessions.get().map((session) => session.sessionId));
    const strangers = events.filter(
      (event) => !known.has(event.sessionId) && (matters.has(event.type) || !askedFor.has(event.sessionId)),
    );
    for (const event of strangers) askedFor.add(event.sessionId);
    if (strangers.length > 0) void refreshSessions().catch(() => undefined);
    // What trust enables is computed by the engine, so a change of trust is asked for anew.
    const project = app.get()?.project?.path;
    const trust = events.some((e) => e.type === "trust.changed" && e.payload.project === project);
    if (project !== undefined && trust) void refreshApp().catch(() => undefined);
  };

  const session = (sessionId: string) => {
    const known = views.get(sessionId);
    if (known) {
      views.delete(sessionId);
      views.set(sessionId, known);
      return known;
    }
    const opened = openSession(platform, sessionId, now);
    views.set(sessionId, opened);
    const oldest = views.keys().next().value;
    if (views.size > keptViews && oldest !== undefined) views.delete(oldest);
    // What it came to is counted from its beginning; its last page is there at once.
    void opened.load().then(opened.overview.load);
    return opened;
  };

  const queue = createFrameQueue(apply);
  let subscribed: Promise<Array<() => void>> | null = null;
  const openedOutside = (project: ProjectState) => {
    setProject(project);
    void refreshSessions().catch(() => undefined);
  };
  const start = async () => {
    // Trying again after a failure must not hear every frame twice.
    subscribed ??= Promise.all([platform.subscribe(queue.push), platform.onProject(openedOutside)]);
    try {
      await subscribed.catch((thrown) => {
        subscribed = null;
        throw thrown;
      });
      // None waits for another, and the first content for none but the folder and the list of sessions.
      const state = Promise.all([platform.call("app_state", {}), refreshSessions()]);
      // In one step, so that nothing is drawn that the next moment takes away.
      const first = state.then(([known]) => {
        app.set(known);
        ready.set(true);
      });
      const lists = [refreshApprovals(), refreshQuestions(), refreshElicitations(), refreshCatalogue()];
      await Promise.all([first, ...lists]);
      failure.set(null);
    } catch (thrown) {
      failure.set(asCommandError(thrown));
    }
  };
  const stop = async () => {
    for (const unsubscribe of (await subscribed) ?? []) unsubscribe();
    subscribed = null;
    queue.dispose();
  };

  return {
    platform,
    app,
    failure,
    /** The folder and the sessions are known: an empty list now means that there is none. */
    ready,
    sessions,
    approvals,
    /** How many lines each session changed, where somebody looks. */
    lines,
    updates,
    /** How often something other than a run changed how the repository stands: files were restored, or committed. */
    gitChanges,
    /** What the model asks and waits for. */
    questions,
    /** What MCP servers ask in the middle of their calls. */
    elicitations,
    catalogue,
    /** What is proposed to be remembered, and what the user accepted. */
    memories,
    /** Subscribes, then fetches: nothing in between is lost. May be called again after a failure. */
    start,
    stop,
    openProject: (path: string): Promise<ProjectState> => {
      lastAsked = path;
      const opening = lastOpened.then(() => platform.call("open_project", { path }));
      lastOpened = opening.catch(() => undefined);
      return opening.then((project) => {
        if (lastAsked !== path) return project;
        void refreshSessions().catch(() => undefined);
        void refreshCatalogue();
        const opened = setProject(project);
        if (memories.get().entries !== null) void refreshMemory();
        return opened;
      });
    },
    /** `unpinned`: the hashes of what can't be pinned that the user agrees to. */
    setTrust: async (path: string, trust: "trusted" | "untrusted", unpinned: string[]) => {
      if (trust === "untrusted") return setProject(await platform.call("keep_untrusted", { path }));
      return setProject(await platform.call("trust_project", { path, unpinned }));
    },
    refreshApp,
    refreshSessions,
    refreshApprovals,
    refreshQuestions,
    refreshElicitations,
    refreshCatalogue,
    refreshMemory,
    /** Asks local servers which models they have now. */
    refreshLiveModels,
    session,
    /** One that is open already, without its being opened for that. */
    held: (sessionId: string) => views.get(sessionId) ?? null,
  };
}

function recent(state: AppState, path: string): string[] {
  return [path, ...state.recentProjects.filter((one) => one !== path)];
}
