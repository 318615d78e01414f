import { t } from "@lingui/core/macro";
import { useState } from "react";
import { ErrorNote } from "../../components/ErrorNote";
import type { CommandError, ProviderEntry } from "../../protocol/generated";
import { EntryForm } from "./EntryForm";
import { ChoiceRow, TextRow } from "./FormRows";

/** The kinds of contract section 3. `custom` alone needs a base URL. */
const kinds = [
  "openai",
  "openai-chat",
  "anthropic",
  "gemini",
  "deepseek",
  "ollama",
  "openrouter",
  "custom",
  "demo",
];

type Entry = { name: string; kind: string; baseUrl: string | null };
type Props = {
  provider: ProviderEntry | null;
  /** Returns why it was not saved. */
  onSave: (entry: Entry) => Promise<CommandError | null>;
  onCancel: () => void;
};

export function ProviderForm({ provider, onSave, onCancel }: Props) {
  const [name, setName] = useState(provider?.name ?? "");
  const [kind, setKind] = useState(provider?.kind ?? "custom");
  const [baseUrl, setBaseUrl] = useState(provider?.baseUrl ?? "");
  const [error, setError] = useState<CommandError | null>(null);
  const save = async () => {
    const entry = { name: name.trim(), kind, baseUrl: baseUrl.trim() === "" ? null : baseUrl.trim() };
    setError(await onSave(entry));
  };
  return (
    <EntryForm
      label={provider ? t`Edit ${provider.name}` : t`Add provider`}
      save={t`Save provider`}
      onSave={() => void save()}
      onCancel={onCancel}
    >
      <TextRow
        label={t`Name`}
        value={name}
        onChange={setName}
        required
        readOnly={provider !== null}
        pattern="[A-Za-z0-9][A-Za-z0-9_.\-]*"
        title={t`Letters, digits, dot, dash and underscore`}
      />
      <ChoiceRow label={t`Kind`} value={kind} onChange={setKind}>
        {[...new Set([...kinds, kind])].map((one) => (
          <option key={one}>{one}</option>
        ))}
      </ChoiceRow>
      <TextRow
        label={t`Base URL`}
        type="url"
        mono
        value={baseUrl}
        onChange={setBaseUrl}
        required={kind === "custom"}
        placeholder={kind === "custom" ? t`http://127.0.0.1:8080/v1` : t`The provider's default`}
      />
      {error && <ErrorNote error={error} />}
    </EntryForm>
  );
}
