import { t } from "@lingui/core/macro";
import { SchemaForm } from "../../components/form/SchemaForm";
import type { CommandError, ProviderEntry } from "../../protocol/generated";

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
  onClose: () => void;
};

export function ProviderForm({ provider, onSave, onClose }: Props) {
  return (
    <SchemaForm
      label={provider ? t`Edit ${provider.name}` : t`Add provider`}
      save={t`Save provider`}
      first={{
        name: provider?.name ?? "",
        kind: provider?.kind ?? "custom",
        baseUrl: provider?.baseUrl ?? "",
      }}
      fields={({ kind }) => [
        {
          key: "name",
          label: t`Name`,
          required: true,
          readOnly: provider !== null,
          pattern: "[A-Za-z0-9][A-Za-z0-9_.\\-]*",
          title: t`Letters, digits, dot, dash and underscore`,
        },
        { key: "kind", label: t`Kind`, kind: "choice", choices: [...new Set([...kinds, kind])] },
        {
          key: "baseUrl",
          label: t`Base URL`,
          kind: "url",
          required: kind === "custom",
          placeholder: kind === "custom" ? t`http://127.0.0.1:8080/v1` : t`The provider's default`,
        },
      ]}
      onSave={({ name, kind, baseUrl }) =>
        onSave({ name: name.trim(), kind, baseUrl: baseUrl.trim() || null })
      }
      onClose={onClose}
    />
  );
}
