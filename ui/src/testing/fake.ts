/** An engine in memory behind the platform's door, for tests and visual work. Never part of a build. */
import type { Answer, CommandName, Params, Platform } from "../platform/platform";
import { type PendingApproval, pendingStep } from "../protocol/approvals";
import type {
  AgentState,
  AppState,
  AskedOfWindow,
  CommandError,
  DragStep,
  ElicitationFault,
  ElicitationReply,
  ElicitationSummary,
  Event,
  ExamplePrompt,
  Frame,
  LocalServer,
  McpServerEntry,
  McpTestStep,
  MemoryEntry,
  ModelEntry,
  NextRequest,
  PictureFacts,
  ProjectState,
  ProviderEntry,
  ProviderTestStep,
  QuestionSummary,
  Sent,
  SessionPage,
  SessionSummary,
  SessionToolEntry,
  SettingEntry,
  StorageUse,
} from "../protocol/generated";
import { questionsStep } from "../protocol/questions";
import { eventLog, eventOf } from "./events";
import { contextHandlers } from "./fake_context";
import { fakeConversations } from "./fake_conversations";
import { historyHandlers, type World } from "./fake_history";
import { usageScene } from "./usage_scene";

type Handlers = { [Name in CommandName]?: (params: Params<Name>) => Answer<Name> };

export type Fake = ReturnType<typeof createFake>;

export const demoProject: ProjectState = {
  path: "/home/ada/code/arki",
  name: "arki",
  trust: "trusted",
  enables: [],
  unpinned: [],
  changed: [],
  notices: [],
};

export function frame(part: Partial<Frame>): Frame {
  const nothing = { deltas: [], commandOutput: [], callsGrow: [], elicitationsChanged: false, missed: false };
  return { events: [], conversations: [], ...nothing, ...part };
}

export const demoApp: AppState = {
  version: "0.1.0",
  dataDir: "/home/ada/.local/share/arki",
  project: demoProject,
  recentProjects: [],
  defaultModel: "openai/gpt-5.1",
  sandbox: "bubblewrap",
  reflects: false,
  notifies: true,
  keepsAwake: false,
  looksForUpdates: false,
  hasTray: false,
};

export function createFake(given: {
  app?: Partial<AppState>;
  sessions?: SessionSummary[];
  logs?: Record<string, Event[]>;
  models?: ModelEntry[];
  providers?: ProviderEntry[];
  /** What a test of any provider tells. */
  testSteps?: ProviderTestStep[];
  mcpServers?: McpServerEntry[];
  mcpTestSteps?: McpTestStep[];
  tools?: SessionToolEntry[];
  localServers?: LocalServer[];
  examples?: ExamplePrompt[];
  settings?: SettingEntry[];
  elicitations?: ElicitationSummary[];
  next?: NextRequest;
  memory?: MemoryEntry[];
  state?: AgentState;
  handlers?: Handlers;
  can?: Platform["can"];
  pageFiles?: Platform["pageFiles"];
  /** Answers with pages of its own. */
  page?: () => SessionPage;
  history?: Partial<Pick<World, "overviews" | "preview" | "lines">>;
}) {
  const app: AppState = { ...demoApp, ...given.app };
  const logs: Record<string, Event[]> = { ...given.logs };
  const conversations = fakeConversations(logs);
  const pageOf = given.page ?? conversations.page;
  let tools = given.tools ?? [];
  let elicitations = given.elicitations ?? [];
  const calls: { name: CommandName; params: unknown }[] = [];
  const opened: string[] = [];
  const zooms: number[] = [];
  const badges: (number | null)[] = [];
  let onAsked: ((asked: AskedOfWindow) => void) | null = null;
  const tested: { provider: string; model: string | null }[] = [];
  let onFrame: ((frame: Frame) => void) | null = null;
  const dragged = new Set<(step: DragStep) => void>();
  let onProject: ((opened: ProjectState) => void) | null = null;
  /** As a second start of the app does it. */
  const openOutside = (opened: ProjectState) => {
    app.project = opened;
    onProject?.(opened);
  };
  const drag = (step: DragStep) => {
    for (const hear of [...dragged]) hear(step);
  };
  const trust =
    (state: ProjectState["trust"]) =>
    ({ path }: { path: string }) => {
      app.project = { ...(app.project ?? demoProject), path, trust: state, changed: [] };
      return app.project;
    };
  const send = (part: Partial<Frame>) => {
    for (const event of part.events ?? []) logs[event.sessionId] = [...(logs[event.sessionId] ?? []), event];
    onFrame?.(frame({ conversations: conversations.apply(part.events ?? []), ...part }));
  };
  const world: World = {
    logs,
    sessions: given.sessions ?? [],
    send,
    overviews: {},
    preview: { changes: [], diff: "" },
    lines: [],
    ...given.history,
  };
  const queueing = ({ to: { sessionId }, text, mode }: Params<"send_message">): Sent => {
    const to = sessionId ?? "new";
    if (mode === null) return { sessionId: to, runId: "run-new", messageId: null };
    const log = logs[to] ?? [];
    const messageId = `message ${log.length + 1}`;
    const last = log.at(-1) ?? eventLog(to).add("session.created");
    const placed = { ...last, eventId: `${to}-${log.length + 1}`, seq: log.length + 1 };
    send({ events: [eventOf(placed, "message.queued", { messageId, text, mode })] });
    return { sessionId: to, runId: null, messageId };
  };
  const handlers: Handlers = {
    app_state: () => ({ ...app }),
    choose_folder: () => null,
    make_sample: () => demoProject.path,
    open_project: ({ path }) => {
      app.project = { ...demoProject, path, name: path.split("/").at(-1) ?? path };
      return app.project;
    },
    trust_project: trust("trusted"),
    keep_untrusted: trust("untrusted"),
    ...historyHandlers(world),
    ...contextHandlers(given),
    usage_report: () => usageScene(),
    list_pipelines: () => [],
    list_pipeline_runs: () => [],
    list_schedules: () => [],
    save_schedule: () => null,
    switch_schedule: () => null,
    remove_schedule: () => null,
    list_sessions: () => [...world.sessions],
    session_page: pageOf,
    open_conversation: ({ sessionId, limit }) =>
      conversations.open(sessionId, pageOf({ sessionId, beforeSeq: null, limit })),
    hold_conversation: conversations.hold,
    send_message: queueing,
    look_at_picture: ({ data }) => pictureFacts(data),
    choose_files: () => [],
    take_dropped: () => [],
    take_pasted: () => [],
    sent_picture: () => null,
    list_approvals: () => {
      const none: readonly PendingApproval[] = [];
      return [...Object.values(logs).flat().reduce(pendingStep, none)];
    },
    session_tools: () => tools,
    switch_session_tools: ({ on, off }) => {
      tools = tools.map((tool) => ({
        ...tool,
        enabled: on.includes(tool.name) || (tool.enabled && !off.includes(tool.name)),
      }));
      return tools;
    },
    list_processes: () => [],
    stop_process: () => null,
    list_questions: () => {
      const none: readonly QuestionSummary[] = [];
      return [...Object.values(logs).flat().reduce(questionsStep, none)];
    },
    answer_question: ({ sessionId, questionId, text }) => {
      const log = eventLog(sessionId);
      const asked = logs[sessionId]
        ?.filter((event) => event.type === "question.asked")
        .find((event) => event.payload.questionId === questionId);
      const seq = logs[sessionId]?.length ?? 0;
      log.add("question.answered", { questionId, text }, asked?.runId ?? null);
      log.add("run.resumed", { reason: "user", questionId }, asked?.runId ?? null);
      const result = { callId: asked?.payload.callId ?? "", toolId: "ask_user", result: text, durationMs: 1 };
      log.add("tool.result", result, asked?.runId ?? null);
      const events = log.events.map((event, place) => ({
        ...event,
        eventId: `${sessionId}-${seq + place + 1}`,
        seq: seq + place + 1,
      }));
      send({ events });
      return null;
    },
    list_elicitations: () => [...elicitations],
    answer_elicitation: ({ id, reply }) => {
      const faults =
        reply.action === "accept"
          ? missingIn(
              elicitations.find((one) => one.id === id),
              reply,
            )
          : [];
      if (faults.length > 0) return faults;
      elicitations = elicitations.filter((one) => one.id !== id);
      onFrame?.(frame({ elicitationsChanged: true }));
      return [];
    },
    review_files: () => [],
    review_page: () => ({ text: "", next: null }),
    review_context: () => ({ lines: [], total: 0 }),
    proposed_rule: () => null,
    explain_decision: () => null,
    resolve_approval: () => null,
    list_models: () => given.models ?? [],
    live_models: () => ({ models: given.models ?? [], silent: [] }),
    list_providers: () => given.providers ?? [],
    set_key: () => null,
    remove_key: () => null,
    save_provider: () => null,
    remove_provider: () => null,
    set_reflection: ({ on }) => {
      app.reflects = on;
      return null;
    },
    set_default_model: ({ model }) => {
      app.defaultModel = model;
      return null;
    },
    find_local_servers: () => given.localServers ?? [],
    choose_local_model: ({ server, model }) => {
      app.defaultModel = `${server}/${model}`;
      return app.defaultModel;
    },
    example_prompts: () => given.examples ?? [],
    take_dropped_folder: () => null,
    repository: () => null,
    open_in_editor: () => null,
    show_in_folder: () => null,
    open_terminal: () => null,
    open_window: () => null,
    crash_report: () => null,
    remove_crash_reports: () => null,
    look_for_update: () => ({ type: "not_offered" }),
    install_update: () => null,
    restart: () => null,
    mark_session: () => null,
    session_lines: () => [],
    list_settings: () => given.settings ?? [],
    set_setting: () => null,
    set_menu_bar: () => [],
    set_desktop_words: () => null,
    unset_setting: () => null,
    change_settings: () => null,
    storage_use: () => storage,
    tidy_now: () => storage,
    backtest_rule: () => ({ matched: [], matchedCount: 0, changed: 0, calls: 0, leftOut: 0 }),
    add_rule: () => null,
    remove_rule: () => null,
    list_hooks: () => ({ hooks: [], refused: null }),
    try_hooks: () => [],
    open_configured: () => null,
    list_agents: () => ({ agents: [], warnings: [] }),
    list_skills: () => ({ enabled: true, skills: [], faults: [], notice: null }),
    list_mcp_servers: () => given.mcpServers ?? [],
    save_mcp_server: () => null,
    enable_mcp_server: () => null,
    remove_mcp_server: () => null,
    mcp_server_log: () => "",
    review_mcp_server: ({ name }) =>
      given.mcpServers?.find((server) => server.name === name) ?? fail("MCP_SERVER_UNKNOWN", name),
    agree_to_mcp_server: () => null,
    sign_in_to_mcp_server: () => null,
    ...given.handlers,
  };
  const platform: Platform = {
    can: given.can ?? (() => true),
    pageFiles: given.pageFiles ?? null,
    call: async (name, params) => {
      calls.push({ name, params });
      const handle = handlers[name] as (
        given: typeof params,
      ) => Awaited<ReturnType<typeof platform.call<typeof name>>>;
      return handle(params);
    },
    testProvider: async (params, onStep) => {
      tested.push(params);
      for (const step of given.testSteps ?? []) onStep(step);
      return !given.testSteps?.some((step) => step.state === "failed");
    },
    testMcpServer: async (_, onStep) => {
      for (const step of given.mcpTestSteps ?? []) onStep(step);
      return !given.mcpTestSteps?.some((step) => !step.ok);
    },
    onProject: async (listener) => {
      onProject = listener;
      return () => undefined;
    },
    onAsked: async (hear) => {
      onAsked = hear;
      return () => {
        onAsked = null;
      };
    },
    onDrag: async (hear) => {
      dragged.add(hear);
      return () => dragged.delete(hear);
    },
    subscribe: async (listener) => {
      onFrame = listener;
      return () => {
        onFrame = null;
      };
    },
    setZoom: async (factor) => {
      zooms.push(factor);
    },
    setBadge: async (count) => {
      badges.push(count);
    },
    openLink: async (url) => {
      opened.push(url);
    },
    painted: async () => {},
  };
  const askOutside = (asked: AskedOfWindow) => onAsked?.(asked);
  return { platform, calls, opened, zooms, badges, tested, send, openOutside, askOutside, drag, logs, app };
}

/** The engine reads them off the first bytes; here the picture says them itself, as "1200x500". */
export function pictureFacts(data: string): PictureFacts {
  const [, width, height] = /^(\d+)x(\d+)$/.exec(atob(data)) ?? fail("USAGE", "The file is not a picture.");
  const size = { width: Number(width), height: Number(height) };
  return { mediaType: "image/png", bytes: size.width * size.height, ...size, tokens: size.width };
}

export function fail(code: string, message: string, hint = ""): never {
  const error: CommandError = { code, message, hint };
  throw error;
}

/** The engine checks more than this. */
function missingIn(asked: ElicitationSummary | undefined, { values }: ElicitationReply): ElicitationFault[] {
  const missing = asked?.fields.filter((field) => field.required && values[field.name] === undefined) ?? [];
  return missing.map((field) => ({ field: field.name, message: "This has to be filled in." }));
}

const storage: StorageUse = {
  folder: "/home/ada/.local/share/arki",
  databaseBytes: 64 << 20,
  events: 12_000,
  contentsBytes: 20 << 20,
  freeBytes: 4 << 20,
  journalBytes: 0,
  logBytes: 100 << 10,
  diskFreeBytes: 90 * 2 ** 30,
  tidiedAt: null,
  maxContentsBytes: 2 * 2 ** 30,
  largest: [{ sessionId: "s1", title: "Rename the widget API", bytes: 3 << 20 }],
};
