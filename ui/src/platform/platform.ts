/**
 * The one door between the window and the world: the engine's commands, its frames, and links. Features and
 * components never import Tauri; tests and visual work put an in-memory fake behind the same type.
 */
import type {
  ApprovalSummary,
  AppState,
  CommandError,
  ElicitationFault,
  ElicitationReply,
  ElicitationSummary,
  ExportFormat,
  Frame,
  LineOrigin,
  LiveModelList,
  McpServerEntry,
  McpServerSettings,
  McpTestStep,
  ModelEntry,
  ProjectState,
  ProviderEntry,
  ProviderTestStep,
  QuestionSummary,
  QueuedMessage,
  QueueMode,
  RemovedSession,
  Resolution,
  ReviewFile,
  ReviewPage,
  RewindPreview,
  RunningCommand,
  SearchHit,
  SendOptions,
  Sent,
  SessionOverview,
  SessionPage,
  SessionSummary,
  SessionToolEntry,
  Shown,
} from "../protocol/generated";
import { isRecord } from "../protocol/read";

/** Every command the engine answers: parameters and result. Each rejects with a `CommandError`. */
export type Commands = {
  app_state: [Record<string, never>, AppState];
  choose_folder: [Record<string, never>, string | null];
  open_project: [{ path: string }, ProjectState];
  trust_project: [{ path: string }, ProjectState];
  keep_untrusted: [{ path: string }, ProjectState];
  list_sessions: [Record<string, never>, SessionSummary[]];
  session_page: [{ sessionId: string; beforeSeq: number | null; limit: number }, SessionPage];
  /** With a mode the message is queued while the session's run works, waits or is paused. */
  send_message: [{ to: Shown; text: string; options: SendOptions; mode: QueueMode | null }, Sent];
  set_queue: [{ sessionId: string; queued: readonly QueuedMessage[] }, null];
  send_next: [{ of: Shown }, Sent];
  stop_run: [{ sessionId: string }, null];
  pause_run: [{ sessionId: string }, null];
  /** Ends the wait before a retry; no harm where none is waited for. */
  retry_now: [{ sessionId: string }, null];
  resume_run: [{ of: Shown }, null];
  session_overview: [{ sessionId: string }, SessionOverview];
  session_tools: [{ sessionId: string }, SessionToolEntry[]];
  /** The tools as they are then. */
  switch_session_tools: [
    { sessionId: string; on: readonly string[]; off: readonly string[] },
    SessionToolEntry[],
  ];
  rewind_preview: [RewindParams, RewindPreview];
  rewind: [RewindParams, RewindPreview];
  fork_session: [{ sessionId: string; atSeq: number | null }, SessionSummary];
  line_origins: [{ sessionId: string; path: string }, LineOrigin[]];
  take_back_preview: [{ sessionId: string; seq: number }, RewindPreview];
  take_back: [{ sessionId: string; seq: number }, RewindPreview];
  search_sessions: [{ text: string; project: string | null; limit: number }, SearchHit[]];
  /** Null: the user changed their mind in the system's dialog. */
  export_session: [{ sessionId: string; format: ExportFormat }, string | null];
  import_sessions: [Record<string, never>, string[] | null];
  remove_session: [{ sessionId: string }, RemovedSession];
  list_processes: [Record<string, never>, RunningCommand[]];
  /** No harm where it has ended already. */
  stop_process: [{ id: number }, null];
  list_approvals: [Record<string, never>, ApprovalSummary[]];
  /** The files of a change whose diff is too large to be sent at once. */
  review_files: [{ approvalId: string }, ReviewFile[]];
  /** A page of the diff of one of them, by its place. */
  review_page: [{ approvalId: string; file: number; from: number }, ReviewPage];
  /** What approving for longer would store, as JSON; null where only once is offered. */
  proposed_rule: [{ approvalId: string }, string | null];
  resolve_approval: [{ approvalId: string; resolution: Resolution }, null];
  list_questions: [Record<string, never>, QuestionSummary[]];
  /** The run goes on with it. */
  answer_question: [{ sessionId: string; questionId: string; text: string }, null];
  /** What MCP servers ask the user now. */
  list_elicitations: [Record<string, never>, ElicitationSummary[]];
  /** Accepting opens the page, where it is about one. What is wrong with the values; nothing once it is answered. */
  answer_elicitation: [{ id: number; reply: ElicitationReply }, ElicitationFault[]];
  list_models: [Record<string, never>, ModelEntry[]];
  /** As `list_models`, with what local servers list now; takes up to two seconds. */
  live_models: [Record<string, never>, LiveModelList];
  list_providers: [Record<string, never>, ProviderEntry[]];
  set_key: [{ provider: string; key: string }, null];
  remove_key: [{ provider: string }, null];
  save_provider: [{ name: string; kind: string; baseUrl: string | null }, null];
  remove_provider: [{ name: string }, null];
  set_default_model: [{ model: string }, null];
  /** Of the folder that is open. Starts none. */
  list_mcp_servers: [Record<string, never>, McpServerEntry[]];
  save_mcp_server: [{ name: string; settings: McpServerSettings }, null];
  enable_mcp_server: [{ name: string; enabled: boolean }, null];
  remove_mcp_server: [{ name: string }, null];
  mcp_server_log: [{ name: string }, string];
  /** Has the server list its tools, so that what changed can be shown. */
  review_mcp_server: [{ name: string }, McpServerEntry];
  /** Agrees to the tools with this digest, and to no others. */
  agree_to_mcp_server: [{ name: string; digest: string }, null];
  /** Opens the page in the user's browser, and waits for them to come back. */
  sign_in_to_mcp_server: [{ name: string }, null];
};

type RewindParams = { sessionId: string; toSeq: number; files: boolean; conversation: boolean };

export type CommandName = keyof Commands;

export type Platform = {
  call<Name extends CommandName>(name: Name, params: Commands[Name][0]): Promise<Commands[Name][1]>;
  /** Tells each step as it ends, the first that fails as the last. Resolves to whether none failed. */
  testProvider(
    params: { provider: string; model: string | null },
    onStep: (step: ProviderTestStep) => void,
  ): Promise<boolean>;
  /** As `testProvider`. */
  testMcpServer(params: { name: string }, onStep: (step: McpTestStep) => void): Promise<boolean>;
  /** Resolves once the subscription stands, so that nothing between a fetch and the first frame is lost. */
  subscribe(onFrame: (frame: Frame) => void): Promise<() => void>;
  /** A folder was opened from outside the window: by a second start of the app. */
  onProject(opened: (project: ProjectState) => void): Promise<() => void>;
  /** Opens in the user's browser. The caller has checked the scheme with `safeLink`. */
  openLink(url: string): Promise<void>;
};

/** Whatever was thrown, in the shape the window shows. */
export function asCommandError(thrown: unknown): CommandError {
  if (isRecord(thrown) && typeof thrown.code === "string") {
    return {
      code: thrown.code,
      message: typeof thrown.message === "string" ? thrown.message : thrown.code,
      hint: typeof thrown.hint === "string" ? thrown.hint : "",
    };
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return { code: "WINDOW", message, hint: "" };
}
