import type { Pin } from "../../protocol/generated";

const words: Record<string, string> = {
  config: "Project settings",
  hook: "Hooks: commands run by themselves",
  mcp_server: "MCP servers: programs that are started",
  rule: "Rules for the model",
  skill: "Skills",
  procedure: "Procedures",
  command: "Slash commands",
  pipeline: "Pipelines",
  git_config: "Git configuration",
  git_hook: "Git hooks: run by git itself",
};

/** What runs by itself comes first: it is what one most needs to have seen. */
const order = [
  "hook",
  "mcp_server",
  "git_hook",
  "git_config",
  "config",
  "rule",
  "skill",
  "procedure",
  "command",
  "pipeline",
];

export function kindWords(kind: string): string {
  return words[kind] ?? kind;
}

export function groupPins(pins: readonly Pin[]): [string, Pin[]][] {
  const groups = new Map<string, Pin[]>();
  for (const pin of pins) groups.set(pin.kind, [...(groups.get(pin.kind) ?? []), pin]);
  const rank = (kind: string) => (order.includes(kind) ? order.indexOf(kind) : order.length);
  return [...groups].sort(([a], [b]) => rank(a) - rank(b));
}
