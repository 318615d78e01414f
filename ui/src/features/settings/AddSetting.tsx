import { t } from "@lingui/core/macro";
import { Plus } from "lucide-react";
import { useState } from "react";
import { Button } from "../../components/Button";
import { ErrorNote } from "../../components/ErrorNote";
import { EntryForm } from "../../components/form/EntryForm";
import { FieldRow } from "../../components/form/Fields";
import type { CommandError, SettingEntry, SettingKind } from "../../protocol/generated";
import { useReturning } from "./Entries";
import { sentText, TypedField, typedText } from "./SettingValue";
import { type Change, keyBelow } from "./use_settings";

type Props = { entry: SettingEntry; onChange: Change };

/** The element that the focus goes to when something of the list or the names is gone. */
export const addButtonOf = (key: string) => `add-to-${key}`;

/** Adds an item to a list, or a name and its value to an object. */
export function AddSetting({ entry, onChange }: Props) {
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
