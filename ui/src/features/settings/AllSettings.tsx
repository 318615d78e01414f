/** Every value of the configuration: what it is, who says so, and the way to change it. */
import { i18n } from "@lingui/core";
import { plural, t } from "@lingui/core/macro";
import { useLayoutEffect, useMemo, useRef, useState } from "react";
import { Button } from "../../components/Button";
import { ErrorNote } from "../../components/ErrorNote";
import { RuleSentence } from "../../components/RuleSentence";
import type { CommandError, SettingChange, SettingEntry } from "../../protocol/generated";
import { addButtonOf } from "./AddSetting";
import { origins } from "./origins";
import { SettingRow } from "./SettingRow";
import { standsIn, useSettings } from "./use_settings";
import "./all_settings.css";
import { List } from "../../components/List";

/** `folder`: the one whose configuration counts too; null where none is open. */
export function AllSettings({ folder }: { folder: string | null }) {
  const { entries, error, change } = useSettings(folder);
  const [words, setWords] = useState("");
  const [removed, setRemoved] = useState<Removal | null>(null);
  const shown = useMemo(() => fitting(entries ?? [], words), [entries, words]);
  const groups = [...new Set(shown.map(groupOf))];
  const remember = (entry: SettingEntry) => {
    const list = entries?.find(({ key, itemKind }) => itemKind !== null && standsIn(entry, key));
    setRemoved({ entry, list: list?.key ?? null });
  };
  return (
    <section aria-label={t`All settings`}>
      <input
        className="field"
        type="search"
        aria-label={t`Search settings`}
        placeholder={t`Search by name, value or purpose`}
        spellCheck={false}
        value={words}
        onChange={(event) => setWords(event.target.value)}
      />
      {error && <ErrorNote error={error} />}
      <p className="small secondary settings-count" role="status">
        {entries !== null && plural(shown.length, { one: "# setting", other: "# settings" })}
      </p>
      {removed && (
        <Removed
          key={removed.entry.key}
          removal={removed}
          onUndo={(again) => change([again])}
          onDone={() => setRemoved(null)}
        />
      )}
      {groups.map((group) => (
        <section key={group} aria-label={group}>
          <h3 className="mono">{group}</h3>
          <List className="all-settings">
            {shown
              .filter((entry) => groupOf(entry) === group)
              .map((entry) => (
                <li key={entry.key}>
                  <SettingRow
                    entry={entry}
                    folder={folder}
                    title={<Title entry={entry} />}
                    onChange={(changes) => {
                      setRemoved(null);
                      return change(changes);
                    }}
                    onRemoved={remember}
                  />
                </li>
              ))}
          </List>
        </section>
      ))}
    </section>
  );
}

function Title({ entry: { key, kind, about } }: { entry: SettingEntry }) {
  return (
    <>
      <code className={kind === "group" || kind === "map" ? "setting-head" : undefined}>{key}</code>
      {about !== "" && (
        <p className="small secondary">
          <RuleSentence text={about} />
        </p>
      )}
    </>
  );
}

/** `list`: where it stood. */
type Removal = { entry: SettingEntry; list: string | null };

type RemovedProps = {
  removal: Removal;
  onUndo: (again: SettingChange) => Promise<CommandError | null>;
  onDone: () => void;
};

/** What was removed can be added again, unless it is only known without its secrets. */
function Removed({ removal: { entry, list }, onUndo, onDone }: RemovedProps) {
  const [error, setError] = useState<CommandError | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const text = JSON.stringify(entry.value);
  const isKnown = entry.kind !== "secret" && entry.kind !== "group" && !text.includes("[secret:");
  // What had the focus is gone.
  useLayoutEffect(() => {
    if (button.current) button.current.focus();
    else if (list !== null) document.getElementById(addButtonOf(list))?.focus();
  }, [list]);
  const undo = async () => {
    const isItem = entry.key.endsWith("]");
    const failure = await onUndo({
      key: isItem ? `${list}[]` : entry.key,
      text,
      was: isItem ? null : "null",
    });
    setError(failure);
    if (failure !== null) return;
    if (list !== null) document.getElementById(addButtonOf(list))?.focus();
    onDone();
  };
  return (
    <div role="status">
      {t`${entry.key} removed.`}{" "}
      {isKnown && (
        <Button ref={button} small look="quiet" onClick={() => void undo()}>
          {t`Undo`}
        </Button>
      )}
      {error && <ErrorNote error={error} />}
    </div>
  );
}

const groupOf = ({ key }: SettingEntry) => key.split(/[.[]/)[0] ?? key;

/** Every word somewhere in the name, the value, the purpose or the origin. */
function fitting(entries: readonly SettingEntry[], words: string): readonly SettingEntry[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length === 0) return entries;
  return entries.filter((entry) => {
    const origin = i18n._(origins[entry.origin]);
    const text = `${entry.key} ${JSON.stringify(entry.value)} ${entry.about} ${origin}`.toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}
