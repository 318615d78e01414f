import { i18n } from "@lingui/core";
import { plural, t } from "@lingui/core/macro";
import { Plus } from "lucide-react";
import { useCallback, useState } from "react";
import { Button } from "../../components/Button";
import { VisibleText } from "../../components/code/VisibleText";
import { ErrorNote } from "../../components/ErrorNote";
import { List } from "../../components/List";
import type { Platform } from "../../platform/platform";
import type { CommandError, HookEntry, SettingChange } from "../../protocol/generated";
import { runsIn, withoutRun } from "../../protocol/hook_entries";
import { HookForm } from "./HookForm";
import { HookTest } from "./HookTest";
import { actions, events, reasons } from "./hook_words";
import { useListed } from "./listed";
import { OpenFile } from "./OpenFile";
import { Places } from "./Places";
import { hidesSecrets, RemovedNote, useReturning } from "./RemovedNote";
import { type Change, useChange } from "./use_settings";

/** A place in the list, and what is open there; null: the form of a new one. */
type Open = { place: number | null; part: "edit" | "test" } | null;

export function Hooks({ folder }: { folder: string | null }) {
  const ask = useCallback((platform: Platform) => platform.call("list_hooks", { folder }), [folder]);
  const { listed, error, isAnswered, reload } = useListed<"list_hooks">(ask);
  const change = useChange(reload);
  const [open, setOpen] = useState<Open>(null);
  const [removed, setRemoved] = useState<SettingChange | null>(null);
  const [failure, setFailure] = useState<CommandError | null>(null);
  const add = useReturning();
  const close = () => {
    add.goOn();
    setOpen(null);
  };
  const remove = async (hook: HookEntry, place: number) => {
    if (!hook.key) return;
    const text = JSON.stringify(hook.entry);
    const left = withoutRun(hook.entry, place);
    const removal = { key: hook.key, text: left === null ? null : JSON.stringify(left), was: text };
    const failed = await change([removal]);
    setFailure(failed);
    if (failed !== null) return;
    setRemoved(
      left === null
        ? { key: hook.key.replace(/\d+\]$/, "]"), text, was: null }
        : { key: hook.key, text, was: removal.text },
    );
  };
  const save: Change = (changes) => {
    setRemoved(null);
    return change(changes);
  };
  return (
    <section className="settings-section" aria-labelledby="hooks-title">
      <h3 id="hooks-title">{t`Hooks`}</h3>
      {error && <ErrorNote error={error} />}
      {listed?.refused && <ErrorNote error={listed.refused} />}
      {failure && <ErrorNote error={failure} />}
      {listed?.hooks.length === 0 && (
        <p className="secondary">
          {t`A hook runs a command or tells the model something at a set moment, such as after each edit. Yours stand under "hooks" in your configuration.`}
        </p>
      )}
      <List className="configured">
        {listed?.hooks.map((hook, place, all) => (
          // They keep their order while they are shown, and two may be the same in everything.
          <li key={place}>
            <Hook
              hook={hook}
              folder={folder}
              onOpen={(part) => setOpen({ place, part })}
              onRemove={() => void remove(hook, sharing(all, hook).indexOf(hook))}
              canRemove={isRemovable(all, hook)}
            />
            {open?.place === place && open.part === "edit" && (
              <HookForm hook={hook} onChange={save} onClose={close} />
            )}
            {open?.place === place && open.part === "test" && folder !== null && (
              <HookTest hook={hook} folder={folder} onClose={close} />
            )}
          </li>
        ))}
      </List>
      {removed && (
        <RemovedNote
          words={t`Hook removed.`}
          again={removed}
          onChange={change}
          onUndone={() => {
            setRemoved(null);
            add.focus();
          }}
        />
      )}
      {open !== null && open.place === null ? (
        <HookForm hook={null} onChange={save} onClose={close} />
      ) : (
        isAnswered && (
          <Button
            ref={add.button}
            small
            icon={<Plus size={14} aria-hidden />}
            onClick={() => setOpen({ place: null, part: "edit" })}
          >
            {t`Add hook`}
          </Button>
        )
      )}
    </section>
  );
}

/** Those that stand in the same entry, in its order. */
const sharing = (all: readonly HookEntry[], hook: HookEntry) => all.filter(({ key }) => key === hook.key);

/** What stays of an entry is written as it is shown, so nothing in it may be missing or hidden. */
function isRemovable(all: readonly HookEntry[], hook: HookEntry): boolean {
  if (!hook.key) return false;
  const runs = runsIn(hook.entry);
  if (runs <= 1) return true;
  return sharing(all, hook).length === runs && !hidesSecrets(JSON.stringify(hook.entry));
}

type HookProps = {
  hook: HookEntry;
  folder: string | null;
  onOpen: (part: "edit" | "test") => void;
  onRemove: () => void;
  canRemove: boolean;
};

function Hook({ hook, folder, onOpen, onRemove, canRemove }: HookProps) {
  const { name, event, condition, action, does, timeoutSeconds, network, origin, off, key, entry } = hook;
  const facts = [
    i18n._(actions[action]),
    condition === "" ? "" : t`only for ${condition}`,
    timeoutSeconds ? plural(timeoutSeconds, { one: "at most # second", other: "at most # seconds" }) : "",
    network ? t`with network access` : "",
  ];
  const text = JSON.stringify(entry ?? null);
  const canEdit = key && !hidesSecrets(text);
  return (
    <div className="configured-line">
      <div className="grow">
        <p>
          <strong>
            <VisibleText text={name} />
          </strong>{" "}
          <code>{event}</code> <span className="secondary">{i18n._(events[event])}</span>
        </p>
        {does !== name && (
          <p className="configured-does">
            <code>
              <VisibleText text={does} />
            </code>
          </p>
        )}
        <p className="small secondary">
          <VisibleText text={facts.filter(Boolean).join(" · ")} />
        </p>
        <p className="small secondary">
          {off ? <span className="attention">! {i18n._(reasons[off])}</span> : t`✓ on`}
          {" · "}
          <Places paths={[origin]} />
        </p>
      </div>
      <div className="configured-buttons">
        {folder !== null && off === undefined && (
          <Button small look="quiet" aria-label={t`Test ${name}`} onClick={() => onOpen("test")}>
            {t`Test`}
          </Button>
        )}
        {canEdit ? (
          <Button small look="quiet" aria-label={t`Edit ${name}`} onClick={() => onOpen("edit")}>
            {t`Edit`}
          </Button>
        ) : (
          <OpenFile folder={folder} path={origin} name={name} />
        )}
        {canRemove && (
          <Button small look="quiet" aria-label={t`Remove ${name}`} onClick={onRemove}>
            {t`Remove`}
          </Button>
        )}
      </div>
    </div>
  );
}
