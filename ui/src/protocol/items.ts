/**
 * What a transcript is made of: messages, calls, and what happened between them. Their forms are the domain's, without
 * what the window reads elsewhere: previews in the review, a run's course in the log.
 */
import type { CallItem, ConversationItem } from "./generated";

export type {
  CallQuestion as Question,
  CallState as ToolState,
  CallSubagent as Subagent,
  Notice,
} from "./generated";

type OfKind<Kind extends ConversationItem["kind"]> = Extract<ConversationItem, { kind: Kind }>;
type ReadElsewhere = "decisions" | "approval" | "placeholder" | "isError" | "code";

export type UserItem = OfKind<"user">;
/** What a user sent, as it can be sent again. */
export type SentMessage = Pick<UserItem, "text" | "pictures">;
export type AssistantItem = OfKind<"assistant">;
export type ToolItem = Omit<OfKind<"tool">, ReadElsewhere>;
export type FailureItem = OfKind<"failure">;
export type NoticeItem = OfKind<"notice">;
export type HookItem = OfKind<"hook">;
export type RewoundItem = OfKind<"rewound">;
export type ForkedItem = OfKind<"forked">;
export type CompactedItem = OfKind<"compacted">;
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

/** Tools that read, as far as the policy is asked, but make something that is to be seen. */
const seen = new Set(["delegate", "update_plan", "emit_artifact", "ask_user"]);

/** A call that is routine: it looked at something, and nothing else came of it. */
export const onlyReads = ({ category, toolId }: Pick<CallItem, "category" | "toolId">): boolean =>
  category === "read" && !seen.has(toolId);
