import { t } from "@lingui/core/macro";
import { type FormEvent, type ReactNode, useLayoutEffect, useRef } from "react";
import { Button } from "../Button";
import { cancelOnEscape } from "../shortcuts";

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
