import { t } from "@lingui/core/macro";
import { type FormEvent, useRef } from "react";
import { Button } from "../Button";
import "./keys.css";

type Props = { provider: string; onSave: (key: string) => Promise<void>; onCancel: () => void };

/** The key lives in the field alone, never in React state, and the field is emptied before the call returns. */
export function KeyForm({ provider, onSave, onCancel }: Props) {
  const field = useRef<HTMLInputElement>(null);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const key = field.current?.value.trim() ?? "";
    if (field.current) field.current.value = "";
    if (key !== "") void onSave(key);
  };
  return (
    <form className="inline-form" onSubmit={submit}>
      <input
        ref={field}
        className="field"
        type="password"
        autoComplete="off"
        spellCheck={false}
        aria-label={t`API key for ${provider}`}
        placeholder={t`Paste the API key`}
        // biome-ignore lint/a11y/noAutofocus: opened by "Set key", which means to paste
        autoFocus
        required
      />
      <Button type="submit" look="primary">
        {t`Save key`}
      </Button>
      <Button look="quiet" onClick={onCancel}>
        {t`Cancel`}
      </Button>
      <p className="small secondary">{t`Arki stores the key in the system's keychain and never shows it again.`}</p>
    </form>
  );
}
