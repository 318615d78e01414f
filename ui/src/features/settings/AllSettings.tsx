/** Every value of the configuration: what it is, who says so, and the way to change it. */
import { i18n } from "@lingui/core";
import { plural, t } from "@lingui/core/macro";
import { Fragment, useMemo, useState } from "react";
import { ErrorNote } from "../../components/ErrorNote";
import { RuleSentence } from "../../components/RuleSentence";
import type { SettingChange, SettingEntry } from "../../protocol/generated";
import { appearanceParts, type Chosen } from "./Appearance";
import { RemovedNote } from "./Entries";
import { addButtonOf, SettingRow } from "./SettingRow";
import { origins, standsIn, useSettings } from "./use_settings";
import "./all_settings.css";
import { List } from "../../components/List";

/** `folder`: the one whose configuration counts too; null where none is open. `look`: the window's own settings, to be found too. */
export function AllSettings({ folder, look }: { folder: string | null; look: Chosen }) {
  const { entries, error, change } = useSettings(folder);
  const [words, setWords] = useState("");
  const [removed, setRemoved] = useState<Removal | null>(null);
  const shown = useMemo(() => fitting(entries ?? [], words), [entries, words]);
  const looks =
    wordsOf(words).length === 0 ? [] : appearanceParts(look).filter(({ told }) => fits(words, told));
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
        {entries !== null && plural(shown.length + looks.length, { one: "# setting", other: "# settings" })}
      </p>
      {removed && (
        <RemovedNote
          key={removed.entry.key}
          words={t`${removed.entry.key} removed.`}
          text={isWhole(removed.entry) ? JSON.stringify(removed.entry.value) : null}
          undo={() => change([broughtBack(removed)])}
          onUndone={() => {
            goOn(removed);
            setRemoved(null);
          }}
          onStuck={() => goOn(removed)}
        />
      )}
      {looks.length > 0 && (
        <section aria-label={t`Appearance`}>
          <h3>{t`Appearance`}</h3>
          {looks.map(({ title, shown }) => (
            <Fragment key={title}>{shown}</Fragment>
          ))}
        </section>
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

const isWhole = ({ kind }: SettingEntry) => kind !== "secret" && kind !== "group";

function broughtBack({ entry: { key, value }, list }: Removal): SettingChange {
  const isItem = key.endsWith("]");
  return { key: isItem ? `${list}[]` : key, text: JSON.stringify(value), was: isItem ? null : "null" };
}

const goOn = ({ list }: Removal) => list !== null && document.getElementById(addButtonOf(list))?.focus();

const groupOf = ({ key }: SettingEntry) => key.split(/[.[]/)[0] ?? key;

const wordsOf = (words: string) => words.toLowerCase().split(/\s+/).filter(Boolean);

const fits = (words: string, text: string) =>
  wordsOf(words).every((word) => text.toLowerCase().includes(word));

/** Every word somewhere in the name, the value, the purpose or the origin. */
function fitting(entries: readonly SettingEntry[], words: string): readonly SettingEntry[] {
  return entries.filter((entry) => {
    const origin = i18n._(origins[entry.origin]);
    return fits(words, `${entry.key} ${JSON.stringify(entry.value)} ${entry.about} ${origin}`);
  });
}
