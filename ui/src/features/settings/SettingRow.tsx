import { i18n } from "@lingui/core";
import { t } from "@lingui/core/macro";
import { type ReactNode, useState } from "react";
import { Button } from "../../components/Button";
import { ErrorNote } from "../../components/ErrorNote";
import type { CommandError, SettingEntry } from "../../protocol/generated";
import { AddSetting } from "./AddSetting";
import { origins } from "./origins";
import { SettingValue } from "./SettingValue";
import { type Change, changeOf } from "./use_settings";
import "./all_settings.css";

type Props = {
  entry: SettingEntry;
  folder: string | null;
  /** Its name, and what it is for. */
  title: ReactNode;
  /** What its control is called, where that isn't the key. */
  label?: string;
  unit?: string;
  onChange: Change;
  /** It is gone, and the focus with it. */
  onRemoved?: (entry: SettingEntry) => void;
};

/** A value with its purpose, its control and where it comes from; an error stays below it. */
export function SettingRow({ entry, folder, title, label, unit, onChange, onRemoved }: Props) {
  const [error, setError] = useState<CommandError | null>(null);
  const [asks, setAsks] = useState(false);
  const name = label ?? entry.key;
  const change: Change = async (changes) => {
    const failure = await onChange(changes);
    setError(failure);
    return failure;
  };
  const reset = async () => {
    setAsks(false);
    const failure = await change([changeOf(entry, null)]);
    if (failure === null && entry.reset === "removes") onRemoved?.(entry);
  };
  const removes = entry.reset === "removes";
  // What stands below is gone for good: nobody can write it down again from here.
  const isLarge = entry.kind === "group";
  return (
    <>
      <div className="setting">
        <div className="setting-name">{title}</div>
        <div className="setting-middle">
          <SettingValue
            entry={entry}
            folder={folder}
            label={label}
            unit={unit}
            onChange={async (text) => (await change([changeOf(entry, text)])) === null}
          />
          {entry.itemKind !== null && entry.canBeSet && <AddSetting entry={entry} onChange={onChange} />}
        </div>
        <div className="setting-origin small secondary">
          {entry.kind !== "map" && (
            <span title={entry.file ?? t`No file says otherwise`}>{i18n._(origins[entry.origin])}</span>
          )}
          {entry.reset !== "nothing" && !asks && (
            <Button
              small
              look="quiet"
              aria-label={removes ? t`Remove ${name}` : t`Reset ${name}`}
              onClick={() => (isLarge ? setAsks(true) : void reset())}
            >
              {removes ? t`Remove` : t`Reset`}
            </Button>
          )}
        </div>
      </div>
      {asks && (
        <p className="setting-asks" role="status">
          {t`Everything below ${name} is removed from your file.`}{" "}
          <Button small look="danger" onClick={() => void reset()}>
            {removes ? t`Remove` : t`Reset`}
          </Button>{" "}
          <Button small look="quiet" autoFocus onClick={() => setAsks(false)}>
            {t`Keep`}
          </Button>
        </p>
      )}
      {error && <ErrorNote error={error} />}
    </>
  );
}
