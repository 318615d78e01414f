import { i18n } from "@lingui/core";
import { t } from "@lingui/core/macro";
import { useState } from "react";
import { VisibleText } from "../../components/code/VisibleText";
import { measured } from "../../components/measure";
import { useAnswer } from "../../components/useAnswer";
import type { CommandError, HookEntry } from "../../protocol/generated";
import { runsIn, withoutRun } from "../../protocol/hook_entries";
import { Act, Entries, EntryLine, hidesSecrets, OpenFile, Places, useEntries } from "./Entries";
import { HookForm, HookTest } from "./HookForm";
import { actions, events, reasons } from "./hook_words";
import { type Change, useChange } from "./use_settings";

/** A place in the list, and what is open there; null: the form of a new one. */
type Open = { place: number | null; part: "edit" | "test" };

export function Hooks({ folder }: { folder: string | null }) {
  const { answer: listed, error, isAnswered, reload } = useAnswer("list_hooks", { folder });
  const change = useChange(reload);
  const { open, setOpen, close, setRemoved, forget, undone, ...list } = useEntries<Open>();
  const [failure, setFailure] = useState<CommandError | null>(null);
  const remove = async (hook: HookEntry, place: number) => {
    if (!hook.key) return;
    const text = JSON.stringify(hook.entry);
    const left = withoutRun(hook.entry, place);
    const removal = { key: hook.key, text: left === null ? null : JSON.stringify(left), was: text };
    const failed = await change([removal]);
    setFailure(failed);
    if (failed !== null) return;
    const again =
      left === null
        ? { key: hook.key.replace(/\d+\]$/, "]"), text, was: null }
        : { key: hook.key, text, was: removal.text };
    setRemoved({ words: t`Hook removed.`, text, undo: () => change([again]) });
  };
  const save: Change = (changes) => {
    forget();
    return change(changes);
  };
  return (
    <Entries
      title={t`Hooks`}
      problems={[error, listed?.refused, failure]}
      lead={
        listed?.hooks.length === 0 &&
        t`A hook runs a command or tells the model something at a set moment, such as after each edit. Define yours under “hooks” in your configuration.`
      }
      removed={list.removed}
      onUndone={undone}
      add={
        isAnswered && {
          words: t`Add hook`,
          button: list.button,
          onClick: () => setOpen({ place: null, part: "edit" }),
        }
      }
      form={open?.place === null && <HookForm hook={null} onChange={save} onClose={close} />}
    >
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
    </Entries>
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
  const { name, event, condition, action, does, timeoutSeconds, network, origin, off, unpinned, key, entry } =
    hook;
  const facts = [
    i18n._(actions[action]),
    condition === "" ? "" : t`only for ${condition}`,
    timeoutSeconds ? t`at most ${measured(timeoutSeconds, "seconds")}` : "",
    network ? t`with network access` : "",
  ];
  const text = JSON.stringify(entry ?? null);
  const canEdit = key && !hidesSecrets(text);
  return (
    <EntryLine
      buttons={
        <>
          {folder !== null && off === undefined && (
            <Act words={t`Test`} label={t`Test ${name}`} onClick={() => onOpen("test")} />
          )}
          {canEdit ? (
            <Act words={t`Edit`} label={t`Edit ${name}`} onClick={() => onOpen("edit")} />
          ) : (
            <OpenFile folder={folder} path={origin} name={name} />
          )}
          {canRemove && <Act words={t`Remove`} label={t`Remove ${name}`} onClick={onRemove} />}
        </>
      }
    >
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
      {unpinned && (
        <p className="small secondary">
          <VisibleText text={unpinned} />
        </p>
      )}
      <p className="small secondary">
        {off ? <span className="attention">! {i18n._(reasons[off])}</span> : t`✓ on`}
        {" · "}
        <Places paths={[origin]} />
      </p>
    </EntryLine>
  );
}
