import { t } from "@lingui/core/macro";
import { Plus } from "lucide-react";
import { useLayoutEffect, useRef, useState } from "react";
import { Button } from "../../components/Button";
import { ErrorNote } from "../../components/ErrorNote";
import type { CommandError, SettingEntry, SettingKind } from "../../protocol/generated";
import { EntryForm } from "./EntryForm";
import { TextRow } from "./FormRows";
import { sentText, TypedField, typedText } from "./SettingValue";
import { type Change, keyBelow } from "./use_settings";

type Props = { entry: SettingEntry; onChange: Change };

/** The element that the focus goes to when something of the list or the names is gone. */
export const addButtonOf = (key: string) => `add-to-${key}`;

/** Adds an item to a list, or a name and its value to an object. */
export function AddSetting({ entry, onChange }: Props) {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const goesOn = useRef(false);
  useLayoutEffect(() => {
    if (open || !goesOn.current) return;
    goesOn.current = false;
    button.current?.focus();
  }, [open]);
  const close = () => {
    goesOn.current = true;
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

function AddForm({ entry, onChange, onClose }: Props & { onClose: () => void }) {
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
    const value = kind === "choice" ? JSON.stringify(text) : sentText(kind, text);
    const change = isNamed
      ? { key: keyBelow(key, name.trim()), text: value, was: "null" }
      : { key: `${key}[]`, text: value, was: null };
    const failure = await onChange([change]);
    setError(failure);
    if (failure === null) onClose();
  };
  return (
    <EntryForm label={t`Add to ${key}`} save={t`Add`} onSave={() => void add()} onCancel={onClose}>
      {isNamed && <TextRow label={t`Name`} mono value={name} onChange={setName} required />}
      {kind === "choice" ? (
        <select
          className="field"
          aria-label={label}
          value={text}
          onChange={(event) => setText(event.target.value)}
        >
          {itemChoices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      ) : (
        <TypedField kind={kind} label={label} text={text} onType={setText} />
      )}
      {error && <ErrorNote error={error} />}
    </EntryForm>
  );
}
