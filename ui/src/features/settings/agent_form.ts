/** What the configuration says of an agent as a form has it, and the changes that make it so. */
import type { SettingChange, SettingEntry } from "../../protocol/generated";
import { keyBelow } from "./use_settings";

/** By key; empty where nothing is said. Tools stand one a line. */
export type AgentDraft = Readonly<Record<AgentKey, string>>;

export const agentKeys = [
  "description",
  "systemPrompt",
  "model",
  "tools",
  "readOnly",
  "isolation",
  "core",
  "reasoningEffort",
  "maxCompletionTokens",
  "flex",
] as const;
export type AgentKey = (typeof agentKeys)[number];

/** What the user's own file says of an agent, by key; `null` is said too. */
export function ownValues(
  entries: readonly SettingEntry[],
  name: string,
): Partial<Record<AgentKey, unknown>> {
  const said: Partial<Record<AgentKey, unknown>> = {};
  for (const key of agentKeys) {
    const entry = entries.find((entry) => entry.key === keyBelow(keyBelow("agents", name), key));
    if (entry?.origin === "user") said[key] = entry.value;
  }
  return said;
}

export function draftOf(said: Partial<Record<AgentKey, unknown>>): AgentDraft {
  const text = (value: unknown) =>
    Array.isArray(value) ? value.join("\n") : value === null || value === undefined ? "" : String(value);
  return Object.fromEntries(agentKeys.map((key) => [key, text(said[key])])) as AgentDraft;
}

/** Of an agent that is there already: one change for each key that says something else then. */
export function changesOf(
  name: string,
  said: Partial<Record<AgentKey, unknown>>,
  draft: AgentDraft,
): SettingChange[] {
  const before = draftOf(said);
  return agentKeys
    .filter((key) => draft[key] !== before[key])
    .map((key) => ({
      key: keyBelow(keyBelow("agents", name), key),
      text: draft[key].trim() === "" ? null : JSON.stringify(writtenValue(key, draft[key])),
      was: JSON.stringify(said[key] ?? null),
    }));
}

/** A name that is taken is refused. */
export function newAgent(name: string, draft: AgentDraft): SettingChange[] {
  const said = agentKeys.filter((key) => draft[key].trim() !== "");
  const entry = Object.fromEntries(said.map((key) => [key, writtenValue(key, draft[key])]));
  return [{ key: keyBelow("agents", name), text: JSON.stringify(entry), was: "null" }];
}

/** What is no number stays as it was typed, for the engine to say so. */
function writtenValue(key: AgentKey, text: string): unknown {
  switch (key) {
    case "tools":
      return text
        .split("\n")
        .map((line) => line.trim())
        .filter(Boolean);
    case "readOnly":
    case "flex":
      return text === "true";
    case "maxCompletionTokens":
      return Number.isNaN(Number(text)) ? text : Number(text);
    case "systemPrompt":
      return text;
    default:
      return text.trim();
  }
}
