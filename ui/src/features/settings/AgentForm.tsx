import { t } from "@lingui/core/macro";
import { useState } from "react";
import type { Choice, Field } from "../../components/form/Fields";
import { SchemaForm } from "../../components/form/SchemaForm";
import type { SettingEntry } from "../../protocol/generated";
import { type AgentKey, changesOf, draftOf, newAgent, ownValues } from "./agent_form";
import type { Change } from "./use_settings";

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
    {
      key: "tools",
      label: t`Tools`,
      kind: "lines",
      placeholder: t`read_*, one per line; as for arki, if empty`,
    },
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
