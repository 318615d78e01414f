/** The form of one entry of a list: around any content, and of fields alone. */
import { t } from "@lingui/core/macro";
import { type FormEvent, type ReactNode, useLayoutEffect, useRef, useState } from "react";
import type { CommandError } from "../../protocol/generated";
import { Button } from "../Button";
import { ErrorNote } from "../ErrorNote";
import { cancelOnEscape } from "../shortcuts";
import { type Field, Fields } from "./Fields";

type Props = {
  /** The form's accessible name. */
  label: string;
  /** Words of the button that saves. */
  save: string;
  /** What describes that button. */
  saveAbout?: string;
  /** Other buttons, between these two. */
  more?: ReactNode;
  children: ReactNode;
  onSave: () => void;
  onCancel: () => void;
};

/** The form of one entry of a list, new or there already. */
export function EntryForm({ label, save, saveAbout, more, children, onSave, onCancel }: Props) {
  const form = useRef<HTMLFormElement>(null);
  // Often in the place of the button that opened it, which had the focus.
  useLayoutEffect(() => {
    form.current?.querySelector<HTMLElement>("input, select, textarea")?.focus();
    // Often at the end of what is seen.
    form.current?.scrollIntoView({ block: "nearest" });
  }, []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSave();
  };
  return (
    <form
      ref={form}
      className="entry-form"
      aria-label={label}
      data-typing
      onSubmit={submit}
      onKeyDown={cancelOnEscape(onCancel)}
    >
      {children}
      <div className="form-buttons">
        <Button type="submit" look="primary" aria-describedby={saveAbout}>
          {save}
        </Button>
        {more}
        <Button look="quiet" onClick={onCancel}>
          {t`Cancel`}
        </Button>
      </div>
    </form>
  );
}

type SchemaProps<Key extends string> = {
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
export function SchemaForm<Key extends string>(props: SchemaProps<Key>) {
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
