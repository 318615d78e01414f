/** One value of the configuration in a row, and the form that adds one to a list or an object. */
import { i18n } from "@lingui/core";
import { t } from "@lingui/core/macro";
import { Plus } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Button } from "../../components/Button";
import { ErrorNote } from "../../components/ErrorNote";
import { EntryForm } from "../../components/form/EntryForm";
import { FieldRow } from "../../components/form/Fields";
import type { CommandError, SettingEntry, SettingKind } from "../../protocol/generated";
import { useReturning } from "./Entries";
import { SettingValue, sentText, TypedField, typedText } from "./SettingValue";
import { type Change, changeOf, keyBelow, origins } from "./use_settings";
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

type AddProps = { entry: SettingEntry; onChange: Change };

/** The element that the focus goes to when something of the list or the names is gone. */
export const addButtonOf = (key: string) => `add-to-${key}`;

/** Adds an item to a list, or a name and its value to an object. */
function AddSetting({ entry, onChange }: AddProps) {
  const [open, setOpen] = useState(false);
  const { button, goOn } = useReturning();
  const close = () => {
    goOn();
    setOpen(false);
  };
  if (open) return <AddForm entry={entry} onChange={onChange} onClose={close} />;
  return (
    <Button
      ref={button}
      id={addButtonOf(entry.key)}
      small
      look="quiet"
      icon={<Plus size={14} aria-hidden />}
      aria-label={t`Add to ${entry.key}`}
      onClick={() => setOpen(true)}
    >
      {t`Add`}
    </Button>
  );
}

function AddForm({ entry, onChange, onClose }: AddProps & { onClose: () => void }) {
  const { key, itemChoices, template } = entry;
  const kind: SettingKind = entry.itemKind ?? "json";
  const [name, setName] = useState("");
  const first =
    kind === "choice" ? (itemChoices[0] ?? "") : template === null ? "" : typedText(kind, template);
  const [text, setText] = useState(first);
  const [error, setError] = useState<CommandError | null>(null);
  const isNamed = entry.kind === "map";
  const label = isNamed ? t`Value` : t`New entry`;
  const add = async () => {
    const value = sentText(kind, text);
    const change = isNamed
      ? { key: keyBelow(key, name.trim()), text: value, was: "null" }
      : { key: `${key}[]`, text: value, was: null };
    const failure = await onChange([change]);
    setError(failure);
    if (failure === null) onClose();
  };
  return (
    <EntryForm label={t`Add to ${key}`} save={t`Add`} onSave={() => void add()} onCancel={onClose}>
      {isNamed && (
        <FieldRow
          field={{ key: "name", label: t`Name`, kind: "code", required: true }}
          value={name}
          onChange={setName}
        />
      )}
      <TypedField kind={kind} choices={itemChoices} label={label} text={text} onType={setText} />
      {error && <ErrorNote error={error} />}
    </EntryForm>
  );
}
