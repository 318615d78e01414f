import { type FormEvent, useState } from "react";
import { Button } from "../../components/Button";
import { LabelledRow } from "../../components/LabelledRow";
import type { ProviderEntry } from "../../protocol/generated";

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
  onSave: (entry: Entry) => Promise<void>;
  onCancel: () => void;
};

export function ProviderForm({ provider, onSave, onCancel }: Props) {
  const [name, setName] = useState(provider?.name ?? "");
  const [kind, setKind] = useState(provider?.kind ?? "custom");
  const [baseUrl, setBaseUrl] = useState(provider?.baseUrl ?? "");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void onSave({ name: name.trim(), kind, baseUrl: baseUrl.trim() === "" ? null : baseUrl.trim() });
  };
  return (
    <form className="provider-form" onSubmit={submit}>
      <LabelledRow label="Name">
        {(id) => (
          <input
            id={id}
            className="field"
            value={name}
            required
            readOnly={provider !== null}
            pattern="[A-Za-z0-9][A-Za-z0-9_.\-]*"
            title="Letters, digits, dot, dash and underscore"
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </LabelledRow>
      <LabelledRow label="Kind">
        {(id) => (
          <select id={id} className="field" value={kind} onChange={(event) => setKind(event.target.value)}>
            {[...new Set([...kinds, kind])].map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        )}
      </LabelledRow>
      <LabelledRow label="Base URL">
        {(id) => (
          <input
            id={id}
            className="field mono"
            type="url"
            value={baseUrl}
            required={kind === "custom"}
            placeholder={kind === "custom" ? "http://127.0.0.1:8080/v1" : "The vendor's own"}
            onChange={(event) => setBaseUrl(event.target.value)}
          />
        )}
      </LabelledRow>
      <div className="form-buttons">
        <Button type="submit" look="primary">
          Save provider
        </Button>
        <Button look="quiet" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
