import { t } from "@lingui/core/macro";
import { Plus } from "lucide-react";
import { useCallback, useState } from "react";
import { Button } from "../../components/Button";
import { VisibleText } from "../../components/code/VisibleText";
import { ErrorNote } from "../../components/ErrorNote";
import { List } from "../../components/List";
import type { Platform } from "../../platform/platform";
import type { CommandError, ConfiguredAgent, SettingChange, SettingEntry } from "../../protocol/generated";
import { AgentForm } from "./AgentForm";
import { ownValues } from "./agent_form";
import { useListed } from "./listed";
import { OpenFile } from "./OpenFile";
import { Places } from "./Places";
import { hidesSecrets, RemovedNote, useReturning } from "./RemovedNote";
import { type Change, keyBelow, useChange, useSettings } from "./use_settings";

/** An agent's name; null: the form of a new one. */
type Open = { name: string | null } | null;

export function Agents({ folder }: { folder: string | null }) {
  const ask = useCallback((platform: Platform) => platform.call("list_agents", { folder }), [folder]);
  const { listed, error, isAnswered, reload } = useListed<"list_agents">(ask);
  const settings = useSettings(folder);
  const both = useCallback(async () => {
    await Promise.all([reload(), settings.reload()]);
  }, [reload, settings.reload]);
  const change = useChange(both);
  const [open, setOpen] = useState<Open>(null);
  const [removed, setRemoved] = useState<SettingChange | null>(null);
  const [failure, setFailure] = useState<CommandError | null>(null);
  const add = useReturning();
  const entries = settings.entries ?? [];
  const close = () => {
    add.goOn();
    setOpen(null);
  };
  const save: Change = (changes) => {
    setRemoved(null);
    return change(changes);
  };
  const remove = async (name: string) => {
    const key = keyBelow("agents", name);
    const text = JSON.stringify(ownValues(entries, name));
    const failed = await change([{ key, text: null, was: null }]);
    setFailure(failed);
    if (failed === null) setRemoved({ key, text, was: "null" });
  };
  return (
    <section className="settings-section" aria-labelledby="agents-title">
      <h3 id="agents-title">{t`Agents`}</h3>
      <p className="secondary">
        {t`An agent has its own instructions, model and tools. It is an entry in your configuration, or a Markdown file in the folder "agents" beside it.`}
      </p>
      {error && <ErrorNote error={error} />}
      {failure && <ErrorNote error={failure} />}
      <List className="configured">
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
      </List>
      {listed?.warnings.map((warning) => (
        <p key={warning} className="small attention">
          ! <VisibleText text={warning} />
        </p>
      ))}
      {removed && (
        <RemovedNote
          words={t`Removed from your configuration.`}
          again={removed}
          onChange={change}
          onUndone={() => {
            setRemoved(null);
            add.focus();
          }}
        />
      )}
      {open !== null && open.name === null ? (
        <AgentForm name={null} entries={entries} onChange={save} onClose={close} />
      ) : (
        isAnswered && (
          <Button
            ref={add.button}
            small
            icon={<Plus size={14} aria-hidden />}
            onClick={() => setOpen({ name: null })}
          >
            {t`Add agent`}
          </Button>
        )
      )}
    </section>
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
    <div className="configured-line">
      <div className="grow">
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
      </div>
      <div className="configured-buttons">
        {file !== undefined && <OpenFile folder={folder} path={file} name={name} />}
        {isKnown && (
          <Button small look="quiet" aria-label={t`Edit ${name}`} onClick={onEdit}>
            {t`Edit`}
          </Button>
        )}
        {isKnown && isOwn && (
          <Button
            small
            look="quiet"
            aria-label={builtIn ? t`Reset ${name}` : t`Remove ${name}`}
            onClick={onRemove}
          >
            {builtIn ? t`Reset` : t`Remove`}
          </Button>
        )}
      </div>
    </div>
  );
}
