import { t } from "@lingui/core/macro";
import { useState } from "react";
import { VisibleText } from "../../components/code/VisibleText";
import { useAnswer } from "../../components/useAnswer";
import type { CommandError, ConfiguredAgent, SettingEntry } from "../../protocol/generated";
import { AgentForm, ownValues } from "./AgentForm";
import { Act, Entries, EntryLine, hidesSecrets, OpenFile, Places, useEntries, Warnings } from "./Entries";
import { type Change, keyBelow, useChange, useSettings } from "./use_settings";

/** An agent's name; null: the form of a new one. */
type Open = { name: string | null };

export function Agents({ folder }: { folder: string | null }) {
  const { answer: listed, error, isAnswered, reload } = useAnswer("list_agents", { folder });
  const settings = useSettings(folder);
  const change = useChange(() => Promise.all([reload(), settings.reload()]));
  const { open, setOpen, close, setRemoved, forget, undone, ...list } = useEntries<Open>();
  const [failure, setFailure] = useState<CommandError | null>(null);
  const entries = settings.entries ?? [];
  const save: Change = (changes) => {
    forget();
    return change(changes);
  };
  const remove = async (name: string) => {
    const key = keyBelow("agents", name);
    const text = JSON.stringify(ownValues(entries, name));
    const failed = await change([{ key, text: null, was: null }]);
    setFailure(failed);
    const undo = () => change([{ key, text, was: "null" }]);
    if (failed === null) setRemoved({ words: t`Removed from your configuration.`, text, undo });
  };
  return (
    <Entries
      title={t`Agents`}
      lead={t`An agent has its own instructions, model and tools. It is an entry in your configuration, or a Markdown file in the folder “agents” beside it.`}
      problems={[error, failure]}
      notes={<Warnings of={listed?.warnings} />}
      removed={list.removed}
      onUndone={undone}
      add={isAnswered && { words: t`Add agent`, button: list.button, onClick: () => setOpen({ name: null }) }}
      form={
        open?.name === null && <AgentForm name={null} entries={entries} onChange={save} onClose={close} />
      }
    >
      {listed?.agents.map((agent) => (
        <li key={agent.name}>
          <Agent
            agent={agent}
            folder={folder}
            isKnown={entries.every((entry) => !isOf(agent.name, entry.key) || isKnown(entry))}
            isOwn={entries.some(({ key, origin }) => isOf(agent.name, key) && origin === "user")}
            onEdit={() => setOpen({ name: agent.name })}
            onRemove={() => void remove(agent.name)}
          />
          {open?.name === agent.name && (
            <AgentForm name={agent.name} entries={entries} onChange={save} onClose={close} />
          )}
        </li>
      ))}
    </Entries>
  );
}

const isOf = (agent: string, key: string) => {
  const own = keyBelow("agents", agent);
  return key === own || key.startsWith(`${own}.`);
};

/** All that the user's own file says there: neither a secret nor a project's value is listed in its place. */
const isKnown = ({ value, origin }: SettingEntry) =>
  origin !== "project" && !hidesSecrets(JSON.stringify(value ?? null));

type AgentProps = {
  agent: ConfiguredAgent;
  folder: string | null;
  isKnown: boolean;
  /** Your configuration says something of it. */
  isOwn: boolean;
  onEdit: () => void;
  onRemove: () => void;
};

function Agent({ agent, folder, isKnown, isOwn, onEdit, onRemove }: AgentProps) {
  const { name, description, model, core, tools, readOnly, isolated, builtIn, origins } = agent;
  const names = tools?.join(", ") ?? "";
  const facts = [
    model,
    core,
    tools === null ? t`all tools` : tools.length === 0 ? t`no tools` : t`tools: ${names}`,
    readOnly ? t`only reads` : "",
    isolated ? t`works in a worktree of its own` : "",
  ];
  const file = origins.find((origin) => origin.endsWith(".md")) ?? (isKnown ? undefined : origins[0]);
  return (
    <EntryLine
      buttons={
        <>
          {file !== undefined && <OpenFile folder={folder} path={file} name={name} />}
          {isKnown && <Act words={t`Edit`} label={t`Edit ${name}`} onClick={onEdit} />}
          {isKnown && isOwn && (
            <Act
              words={builtIn ? t`Reset` : t`Remove`}
              label={builtIn ? t`Reset ${name}` : t`Remove ${name}`}
              onClick={onRemove}
            />
          )}
        </>
      }
    >
      <p>
        <strong>{name}</strong>{" "}
        {description !== null && (
          <span dir="auto">
            <VisibleText text={description} />
          </span>
        )}
      </p>
      <p className="small secondary">
        <VisibleText text={facts.filter(Boolean).join(" · ")} />
      </p>
      <p className="small secondary">
        {builtIn && t`Built in`}
        {builtIn && origins.length > 0 && t`, changed in`} <Places paths={origins} />
      </p>
    </EntryLine>
  );
}
