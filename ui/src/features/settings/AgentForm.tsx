import { t } from "@lingui/core/macro";
import { useState } from "react";
import { ErrorNote } from "../../components/ErrorNote";
import type { CommandError, SettingEntry } from "../../protocol/generated";
import { type AgentDraft, type AgentKey, changesOf, draftOf, newAgent, ownValues } from "./agent_form";
import { EntryForm } from "./EntryForm";
import { ChoiceRow, LinesRow, TextRow } from "./FormRows";
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
  // As it was when the form was opened: what somebody else changes meanwhile isn't overwritten.
  const [said] = useState(() => (name === null ? {} : ownValues(entries, name)));
  const [newName, setNewName] = useState("");
  const [draft, setDraft] = useState<AgentDraft>(() => draftOf(said));
  const [error, setError] = useState<CommandError | null>(null);
  const set = (key: AgentKey) => (value: string) => setDraft((now) => ({ ...now, [key]: value }));
  const choices = (key: AgentKey) =>
    entries.find((entry) => entry.key === `agents.arki.${key}`)?.choices ?? [];
  const save = async () => {
    const changes = name === null ? newAgent(newName.trim(), draft) : changesOf(name, said, draft);
    const failure = changes.length === 0 ? null : await onChange(changes);
    setError(failure);
    if (failure === null) onClose();
  };
  const field = (key: AgentKey) => ({ value: draft[key], onChange: set(key) });
  return (
    <EntryForm
      label={name === null ? t`Add agent` : t`Edit ${name}`}
      save={t`Save agent`}
      onSave={() => void save()}
      onCancel={onClose}
    >
      {name === null && (
        <TextRow
          label={t`Name`}
          value={newName}
          onChange={setNewName}
          required
          maxLength={32}
          pattern="[a-z0-9][a-z0-9_\-]*"
          title={t`Lower-case letters, digits, dash and underscore`}
        />
      )}
      <TextRow
        label={t`When to use it`}
        placeholder={t`one line, told to the model`}
        {...field("description")}
      />
      <LinesRow
        label={t`Instructions`}
        placeholder={t`What it does, and how`}
        rows={4}
        {...field("systemPrompt")}
      />
      <TextRow
        label={t`Model`}
        mono
        placeholder={t`provider/model; as for arki, if empty`}
        {...field("model")}
      />
      <LinesRow
        label={t`Tools`}
        placeholder={t`read_*, one per line; as for arki, if empty`}
        {...field("tools")}
      />
      <YesOrNo label={t`Only reads`} {...field("readOnly")} />
      <ChoiceRow label={t`Works in`} {...field("isolation")}>
        <option value="">{t`the project's folder`}</option>
        <option value="worktree">{t`a worktree of its own`}</option>
      </ChoiceRow>
      <Words label={t`Core`} choices={choices("core")} {...field("core")} />
      <Words label={t`Effort`} choices={choices("reasoningEffort")} {...field("reasoningEffort")} />
      <TextRow
        label={t`Longest answer, in tokens`}
        placeholder={t`as for arki, if empty`}
        {...field("maxCompletionTokens")}
      />
      <YesOrNo label={t`Cheaper, slower answers`} {...field("flex")} />
      {error && <ErrorNote error={error} />}
    </EntryForm>
  );
}

type Field = { label: string; value: string; onChange: (value: string) => void };

function YesOrNo(field: Field) {
  return (
    <ChoiceRow {...field}>
      <option value="">{t`as for arki`}</option>
      <option value="true">{t`yes`}</option>
      <option value="false">{t`no`}</option>
    </ChoiceRow>
  );
}

function Words({ choices, ...field }: Field & { choices: readonly string[] }) {
  return (
    <ChoiceRow {...field}>
      <option value="">{t`as for arki`}</option>
      {choices.map((choice) => (
        <option key={choice}>{choice}</option>
      ))}
    </ChoiceRow>
  );
}
