import { type ReactNode, useState } from "react";
import type { CommandError } from "../../protocol/generated";
import { ErrorNote } from "../ErrorNote";
import { EntryForm } from "./EntryForm";
import { type Field, Fields } from "./Fields";

type Props<Key extends string> = {
  label: string;
  save: string;
  /** As the form begins: what somebody else changes meanwhile isn't overwritten. */
  first: Readonly<Record<Key, string>>;
  /** What is asked for, given what was entered so far. */
  fields: (values: Readonly<Record<Key, string>>) => readonly (Field<Key> | false)[];
  /** Below the fields. */
  note?: ReactNode;
  /** Returns why it was not saved: then the form stays as it is. */
  onSave: (values: Readonly<Record<Key, string>>) => Promise<CommandError | null>;
  onClose: () => void;
};

/** A form that is nothing but its fields. */
export function SchemaForm<Key extends string>(props: Props<Key>) {
  const { label, save, first, fields, note, onSave, onClose } = props;
  const [values, setValues] = useState(first);
  const [error, setError] = useState<CommandError | null>(null);
  const submit = async () => {
    const failure = await onSave(values);
    setError(failure);
    if (failure === null) onClose();
  };
  return (
    <EntryForm label={label} save={save} onSave={() => void submit()} onCancel={onClose}>
      <Fields
        fields={fields(values)}
        values={values}
        onChange={(key, value) => setValues((now) => ({ ...now, [key]: value }))}
      />
      {note}
      {error && <ErrorNote error={error} />}
    </EntryForm>
  );
}
