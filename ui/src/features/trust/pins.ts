import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { Pin } from "../../protocol/generated";

/** What runs by itself comes first: it is what one most needs to have seen. */
const words: Record<string, MessageDescriptor> = {
  hook: msg`Hooks: commands that run automatically`,
  unpinned_hook: msg`Hooks that Arki can't pin, and you agreed to`,
  mcp_server: msg`MCP servers: programs that Arki starts`,
  git_hook: msg`Git hooks: commands that git runs`,
  git_config: msg`Git configuration`,
  config: msg`Project settings`,
  rule: msg`Rules for the model`,
  skill: msg`Skills`,
  procedure: msg`Procedures`,
  command: msg`Slash commands`,
  agent: msg`Agents that work on tasks of their own`,
  pipeline: msg`Pipelines`,
  memory: msg`Accepted memories, which the model is told`,
};
const order = Object.keys(words);

export function kindWords(kind: string): string {
  const known = words[kind];
  return known ? i18n._(known) : kind;
}

export function groupPins(pins: readonly Pin[]): [string, Pin[]][] {
  const groups = new Map<string, Pin[]>();
  for (const pin of pins) groups.set(pin.kind, [...(groups.get(pin.kind) ?? []), pin]);
  const rank = (kind: string) => (order.includes(kind) ? order.indexOf(kind) : order.length);
  return [...groups].sort(([a], [b]) => rank(a) - rank(b));
}
