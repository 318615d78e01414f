/** A key that is pasted, tested at once, and then one of the provider's models. */
import { t } from "@lingui/core/macro";
import { type FormEvent, useState } from "react";
import { Button } from "../../components/Button";
import { FieldRow } from "../../components/form/Fields";
import { KeyForm } from "../../components/keys/KeyForm";
import { TestOnce } from "../../components/keys/TestSteps";
import type { OnLink } from "../../components/markdown/Markdown";
import { useArki, useCatalogue } from "../../platform/context";
import { failureOf } from "../../platform/platform";

/** The vendors by their names: the kind that their providers are called by, and where they give out keys. */
const vendors: Readonly<Record<string, readonly [kind: string, keys: string]>> = {
  Anthropic: ["anthropic", "https://console.anthropic.com/settings/keys"],
  OpenAI: ["openai", "https://platform.openai.com/api-keys"],
  "Google Gemini": ["gemini", "https://aistudio.google.com/apikey"],
  DeepSeek: ["deepseek", "https://platform.deepseek.com/api_keys"],
  OpenRouter: ["openrouter", "https://openrouter.ai/settings/keys"],
};

type Props = { onChosen: (model: string) => void; onCancel: () => void; onLink: OnLink };

/** What has been done with the key. */
type Stage = "enter" | "test" | "passed" | "failed";

export function KeyChoice({ onChosen, onCancel, onLink }: Props) {
  const arki = useArki();
  const { providers } = useCatalogue();
  const [kind, setKind] = useState("anthropic");
  const [stage, setStage] = useState<Stage>("enter");
  /** Each key is tested by itself. */
  const [attempt, setAttempt] = useState(0);
  // One that is configured under another name keeps it.
  const provider = providers.find((one) => one.kind === kind)?.name ?? kind;
  const keep = async (key: string) => {
    if (!providers.some((one) => one.name === provider))
      await arki.platform.call("save_provider", { name: provider, kind, baseUrl: null });
    await arki.platform.call("set_key", { provider, key });
    await arki.refreshCatalogue();
    setAttempt((now) => now + 1);
    setStage("test");
  };
  return (
    <div className="key-choice">
      <FieldRow
        field={{
          key: "provider",
          label: t`Provider`,
          kind: "choice",
          choices: Object.entries(vendors).map(([name, [kind]]) => [kind, name]),
        }}
        value={kind}
        onChange={(kind) => {
          setKind(kind);
          setStage("enter");
        }}
      />
      <GetKey kind={kind} onLink={onLink} />
      {(stage === "enter" || stage === "failed") && (
        <KeyForm
          key={`${kind} ${stage}`}
          provider={provider}
          onSave={(key) => failureOf(keep(key))}
          onCancel={onCancel}
        />
      )}
      {stage !== "enter" && (
        <TestOnce
          key={attempt}
          provider={provider}
          onEnd={(passed) => setStage(passed ? "passed" : "failed")}
        />
      )}
      {stage === "passed" && <ModelOf provider={provider} onChosen={onChosen} />}
    </div>
  );
}

function GetKey({ kind, onLink }: { kind: string; onLink: OnLink }) {
  const found = Object.entries(vendors).find(([, [its]]) => its === kind);
  if (found === undefined) return null;
  const [vendor, [, page]] = found;
  const words = t`Get a key from ${vendor}`;
  return (
    <button type="button" className="link small" onClick={() => onLink(page, words)}>
      {words}
    </button>
  );
}

function ModelOf({ provider, onChosen }: { provider: string; onChosen: (model: string) => void }) {
  const models = useCatalogue().models.filter((one) => one.provider === provider);
  const [chosen, setChosen] = useState<string | null>(null);
  const model = chosen ?? models[0]?.id ?? "";
  const choose = (event: FormEvent) => {
    event.preventDefault();
    if (model !== "") onChosen(model);
  };
  if (models.length === 0) return <p className="small secondary">{t`Choose its model in Settings.`}</p>;
  return (
    <form className="model-of" onSubmit={choose}>
      <select
        className="field"
        aria-label={t`Model`}
        value={model}
        onChange={(event) => setChosen(event.target.value)}
      >
        {models.map((one) => (
          <option key={one.id} value={one.id}>
            {one.name === one.model ? one.model : `${one.name} (${one.model})`}
          </option>
        ))}
      </select>
      <Button type="submit" look="primary">
        {t`Use this model`}
      </Button>
    </form>
  );
}
