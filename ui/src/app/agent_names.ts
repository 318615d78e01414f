/** The other agents whose sessions can be brought in. */
import type { HistorySource } from "../protocol/generated";

export const agentNames: Readonly<Record<HistorySource, string>> = {
  claude_code: "Claude Code",
  codex: "Codex",
  opencode: "opencode",
};

export const historySources = Object.keys(agentNames) as readonly HistorySource[];
