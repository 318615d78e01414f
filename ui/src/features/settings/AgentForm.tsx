/** The form of an agent: what the configuration says of it as the form has it, and the changes that make it so. */
import { t } from "@lingui/core/macro";
import { useState } from "react";
import { SchemaForm } from "../../components/form/EntryForm";
import { type Choice, type Field, linesField } from "../../components/form/Fields";
import type { SettingChange, SettingEntry } from "../../protocol/generated";
import { type Change, keyBelow } from "./use_settings";

type Props = {
  /** Null for a new one. */
  name: string | null;
  /** The configuration, which says what it says of the agent, and what may stand there. */
  entries: readonly SettingEntry[];
  onChange: Change;
  onClose: () => void;
};

export function AgentForm({ name, entries, onChange, onClose }: Props) {
  const [said] = useState(() => (name === null ? {} : ownValues(entries, name)));
  return (
    <SchemaForm<AgentKey | "name">
      label={name === null ? t`Add agent` : t`Edit ${name}`}
      save={t`Save agent`}
      first={{ name: "", ...draftOf(said) }}
      fields={() => fieldsOf(name === null, entries)}
      onSave={async ({ name: newName, ...draft }) => {
        const changes = name === null ? newAgent(newName.trim(), draft) : changesOf(name, said, draft);
        return changes.length === 0 ? null : onChange(changes);
      }}
      onClose={onClose}
    />
  );
}

function fieldsOf(isNew: boolean, entries: readonly SettingEntry[]): (Field<AgentKey | "name"> | false)[] {
  const asArki: Choice = ["", t`as for arki`];
  const yesOrNo: Choice[] = [asArki, ["true", t`yes`], ["false", t`no`]];
  const offered = (key: AgentKey) => [
    asArki,
    ...(entries.find((entry) => entry.key === `agents.arki.${key}`)?.choices ?? []),
  ];
  return [
    isNew && {
      key: "name",
      label: t`Name`,
      required: true,
      maxLength: 32,
      pattern: "[a-z0-9][a-z0-9_\\-]*",
      title: t`Lower-case letters, digits, dash and underscore`,
    },
    { key: "description", label: t`When to use it`, placeholder: t`one line, told to the model` },
    {
      key: "systemPrompt",
      label: t`Instructions`,
      kind: "lines",
      rows: 4,
      placeholder: t`What it does, and how`,
    },
    { key: "model", label: t`Model`, kind: "code", placeholder: t`provider/model; as for arki, if empty` },
    linesField("tools", t`Tools`, t`read_*, one per line; as for arki, if empty`),
    { key: "readOnly", label: t`Only reads`, kind: "choice", choices: yesOrNo },
    {
      key: "isolation",
      label: t`Works in`,
      kind: "choice",
      choices: [
        ["", t`the project's folder`],
        ["worktree", t`a worktree of its own`],
      ],
    },
    { key: "core", label: t`Core`, kind: "choice", choices: offered("core") },
    { key: "reasoningEffort", label: t`Effort`, kind: "choice", choices: offered("reasoningEffort") },
    {
      key: "maxCompletionTokens",
      label: t`Longest answer, in tokens`,
      placeholder: t`as for arki, if empty`,
    },
    { key: "flex", label: t`Cheaper, slower answers`, kind: "choice", choices: yesOrNo },
  ];
}

/** By key; empty where nothing is said. Tools stand one a line. */
type AgentDraft = Readonly<Record<AgentKey, string>>;

const agentKeys = [
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
type AgentKey = (typeof agentKeys)[number];

/** What is said of an agent, by key; `null` is said too. */
type Said = Partial<Record<AgentKey, unknown>>;

/** What the user's own file says of an agent, by key; `null` is said too. */
export function ownValues(entries: readonly SettingEntry[], name: string): Said {
  const said: Said = {};
  for (const key of agentKeys) {
    const entry = entries.find((entry) => entry.key === keyBelow(keyBelow("agents", name), key));
    if (entry?.origin === "user") said[key] = entry.value;
  }
  return said;
}

function draftOf(said: Said): AgentDraft {
  const text = (value: unknown) =>
    Array.isArray(value) ? value.join("\n") : value === null || value === undefined ? "" : String(value);
  return Object.fromEntries(agentKeys.map((key) => [key, text(said[key])])) as AgentDraft;
}

/** Of an agent that is there already: one change for each key that says something else then. */
function changesOf(name: string, said: Said, draft: AgentDraft): SettingChange[] {
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
function newAgent(name: string, draft: AgentDraft): SettingChange[] {
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
