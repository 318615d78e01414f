/** Every value of the configuration: what it is, who says so, and the way to change it. */
import { i18n } from "@lingui/core";
import { plural, t } from "@lingui/core/macro";
import { useCallback, useEffect, useMemo, useState } from "react";
import { Button } from "../../components/Button";
import { ErrorNote } from "../../components/ErrorNote";
import { RuleSentence } from "../../components/RuleSentence";
import { useArki } from "../../platform/context";
import { asCommandError } from "../../platform/platform";
import type { CommandError, SettingEntry } from "../../protocol/generated";
import { origins } from "./origins";
import { SettingValue } from "./SettingValue";
import "./all_settings.css";

/** `folder`: the one whose configuration counts too; null where none is open. */
export function AllSettings({ folder }: { folder: string | null }) {
  const { entries, error, change } = useSettings(folder);
  const [words, setWords] = useState("");
  const shown = useMemo(() => fitting(entries ?? [], words), [entries, words]);
  const groups = [...new Set(shown.map(groupOf))];
  return (
    <section aria-label={t`All settings`}>
      <input
        className="field"
        type="search"
        aria-label={t`Search settings`}
        placeholder={t`Search by name, value or purpose`}
        value={words}
        onChange={(event) => setWords(event.target.value)}
      />
      {error && <ErrorNote error={error} />}
      <p className="small secondary settings-count" role="status">
        {entries !== null && plural(shown.length, { one: "# setting", other: "# settings" })}
      </p>
      {groups.map((group) => (
        <section key={group} aria-label={group}>
          <h3 className="mono">{group}</h3>
          <ul className="all-settings">
            {shown
              .filter((entry) => groupOf(entry) === group)
              .map((entry) => (
                <li key={entry.key}>
                  <Entry entry={entry} folder={folder} onChange={change} />
                </li>
              ))}
          </ul>
        </section>
      ))}
    </section>
  );
}

type Change = (key: string, text: string | null) => Promise<CommandError | null>;

/** What is changed shows at once as the engine has it then. */
function useSettings(folder: string | null) {
  const arki = useArki();
  const [entries, setEntries] = useState<readonly SettingEntry[] | null>(null);
  const [error, setError] = useState<CommandError | null>(null);
  const load = useCallback(async () => {
    try {
      setEntries(await arki.platform.call("list_settings", { folder }));
      setError(null);
    } catch (thrown) {
      setError(asCommandError(thrown));
    }
  }, [arki, folder]);
  useEffect(() => void load(), [load]);
  const change: Change = async (key, text) => {
    try {
      if (text === null) await arki.platform.call("unset_setting", { key });
      else await arki.platform.call("set_setting", { key, text });
    } catch (thrown) {
      return asCommandError(thrown);
    }
    await Promise.all([load(), arki.refreshApp(), arki.refreshCatalogue()]);
    return null;
  };
  return { entries, error, change };
}

type EntryProps = { entry: SettingEntry; folder: string | null; onChange: Change };

function Entry({ entry, folder, onChange }: EntryProps) {
  const [error, setError] = useState<CommandError | null>(null);
  const change = async (text: string | null) => setError(await onChange(entry.key, text));
  const origin = i18n._(origins[entry.origin]);
  return (
    <>
      <div className="setting">
        <div className="setting-name">
          <code>{entry.key}</code>
          {entry.about !== "" && (
            <p className="small secondary">
              <RuleSentence text={entry.about} />
            </p>
          )}
        </div>
        <SettingValue entry={entry} folder={folder} onChange={change} />
        <div className="setting-origin small secondary">
          <span title={entry.file ?? t`No file says otherwise`}>{origin}</span>
          {entry.origin === "user" && entry.canBeSet && (
            <Button small look="quiet" aria-label={t`Reset ${entry.key}`} onClick={() => void change(null)}>
              {t`Reset`}
            </Button>
          )}
        </div>
      </div>
      {error && <ErrorNote error={error} />}
    </>
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
