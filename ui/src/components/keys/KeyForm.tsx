import { t } from "@lingui/core/macro";
import { type FormEvent, useRef, useState } from "react";
import type { CommandError } from "../../protocol/generated";
import { Button } from "../Button";
import { ErrorNote } from "../ErrorNote";
import { cancelOnEscape } from "../shortcuts";
import "./keys.css";

type Props = {
  provider: string;
  /** Returns why it was not stored. */
  onSave: (key: string) => Promise<CommandError | null>;
  onCancel: () => void;
};

/** The key lives in the field alone, never in React state. It stays there until it is stored, and no longer. */
export function KeyForm({ provider, onSave, onCancel }: Props) {
  const field = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<CommandError | null>(null);
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const input = field.current;
    const key = input?.value.trim() ?? "";
    if (busy || input === null || key === "") return;
    setBusy(true);
    setError(null);
    const failure = await onSave(key);
    if (failure === null) input.value = "";
    setError(failure);
    setBusy(false);
  };
  return (
    <form
      className="inline-form"
      data-typing
      onSubmit={(event) => void save(event)}
      onKeyDown={cancelOnEscape(onCancel)}
    >
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
        onChange={() => setError(null)}
      />
      <Button type="submit" look="primary" disabled={busy}>
        {t`Save key`}
      </Button>
      <Button look="quiet" onClick={onCancel}>
        {t`Cancel`}
      </Button>
      {error && <ErrorNote error={error} />}
      <p className="small secondary">{t`Arki stores the key in the system's keychain and never shows it again.`}</p>
    </form>
  );
}
