/** What a transcript is made of: messages, calls, and what happened between them. */
import type { CompactionStrategy, Elicitation, HookRan, Image, TextStyle, ToolCategory } from "./generated";

/** `queued`: it has not begun, since another call of its turn comes first. `waiting`: for the user. */
export type ToolState =
  | "queued"
  | "running"
  | "waiting"
  | "done"
  | "failed"
  | "rejected"
  | "denied"
  | "interrupted";

type Placed = {
  key: string;
  seq: number;
  ts: number;
  /** The conversation was rewound to before it: it is no longer said to the model. */
  takenBack?: boolean;
};

export type UserItem = Placed & {
  kind: "user";
  text: string;
  /** Said while a run worked, and heard by it. */
  steered: boolean;
  /** Said by the agent that this one works for. */
  isTask: boolean;
  pictures: readonly Image[];
};
/** What a user sent, as it can be sent again. */
export type SentMessage = Pick<UserItem, "text" | "pictures">;
export type AssistantItem = Placed & {
  kind: "assistant";
  runId: string | null;
  turn: number;
  text: string;
  thoughts: string;
  interrupted: boolean;
};
/** What a call asks the user. */
export type Question = {
  questionId: string;
  text: string;
  options: string[];
  /** Null until the user answers. */
  answer: string | null;
};

/** Whom a call is handed to, and the session in which it is worked on. */
export type Subagent = { agent: string; sessionId: string };

export type ToolItem = Placed & {
  kind: "tool";
  runId: string | null;
  callId: string;
  toolId: string;
  /** Null for a tool that does not exist, and where the call itself is not loaded. */
  category: ToolCategory | null;
  args: unknown;
  state: ToolState;
  approvalId: string | null;
  reason: string;
  /** Denied because the folder wasn't trusted. */
  lacksTrust: boolean;
  result: string | null;
  /** How parts of a command's result look, where it has colours. */
  styles?: readonly TextStyle[] | undefined;
  durationMs: number | null;
  truncated: boolean;
  /** What an MCP server asked the user in the middle of it, and the answers, as the log has them. */
  elicitations: readonly Elicitation[];
  files: string[];
  question: Question | null;
  subagent: Subagent | null;
  /** Those around it that failed or objected. */
  hooks: readonly HookRan[];
};

/** Tools that read, as far as the policy is asked, but make something that is to be seen. */
const seen = new Set(["delegate", "update_plan", "emit_artifact", "ask_user"]);

/** A call that is routine: it looked at something, and nothing else came of it. */
export const onlyReads = ({ category, toolId }: { category: ToolCategory | null; toolId: string }): boolean =>
  category === "read" && !seen.has(toolId);

export type FailureItem = Placed & {
  kind: "failure";
  code: string;
  message: string;
  hint: string;
  retryable: boolean;
  /** The one that was asked last; null where none was. */
  provider: string | null;
};
/** Something that happened to the conversation, in a line of its own. */
export type Notice =
  | { what: "stopped" }
  | { what: "retried"; attempt: number; delayMs: number; code: string }
  /** The provider refused a part of the request; `part` is as in the log. */
  | { what: "left_out"; part: string; reason: string; restored: boolean }
  /** Said while a run worked; the words are not loaded. */
  | { what: "unknown_words" }
  | { what: "reverted"; paths: readonly string[] }
  | { what: "cleaned_up"; notes: readonly string[] }
  | { what: "planned"; intent: string; steps: readonly string[] };
export type NoticeItem = Placed & { kind: "notice"; notice: Notice };
/** A hook that failed or objected where there is no call whose card could say so. */
export type HookItem = Placed & { kind: "hook"; ran: HookRan };
/** Went back to how things stood right after `toSeq`. */
export type RewoundItem = Placed & {
  kind: "rewound";
  toSeq: number;
  files: boolean;
  conversation: boolean;
  /** Messages of both sides that were taken back by this, as far as they are loaded. */
  messages: number;
  /** Files that were written or deleted by it. */
  restored: number;
};
/** The session begins where another one stood. */
export type ForkedItem = Placed & { kind: "forked"; fromSession: string; fromSeq: number };
/** From here on the model is shown less of the conversation than the transcript has. */
export type CompactedItem = Placed & {
  kind: "compacted";
  strategy: CompactionStrategy;
  tokensBefore: number;
  tokensAfter: number;
  /** What stands for the messages that were left out; empty where none were. */
  summary: string;
  /** Calls whose results a note stands for. */
  results: number;
};
export type Item =
  | UserItem
  | AssistantItem
  | ToolItem
  | FailureItem
  | NoticeItem
  | HookItem
  | RewoundItem
  | ForkedItem
  | CompactedItem;
