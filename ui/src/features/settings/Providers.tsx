/** The default model and the providers, each with its form and its test. */
import { t } from "@lingui/core/macro";
import { type FormEvent, useId, useState } from "react";
import { Button } from "../../components/Button";
import { ErrorNote } from "../../components/ErrorNote";
import { SchemaForm } from "../../components/form/EntryForm";
import { FieldRow, modelChoices } from "../../components/form/Fields";
import { KeyForm } from "../../components/keys/KeyForm";
import { type Asked, ProviderSteps, useProviderTest } from "../../components/keys/TestSteps";
import { useActs } from "../../components/useActs";
import { useApp, useArki, useCatalogue } from "../../platform/context";
import { failureOf, type Params } from "../../platform/platform";
import type { CommandError, ProviderEntry } from "../../protocol/generated";
import { Act, Entries, EntryLine, useEntries } from "./Entries";

type Form = "key" | "edit" | "test";
type Open = { name: string; form: Form } | { name: null; form: "add" };

type Attempt = (work: () => Promise<unknown>) => Promise<CommandError | null>;

export function Providers({ keyOf }: { keyOf: string | null }) {
  const arki = useArki();
  const { providers } = useCatalogue();
  const { open, setOpen, close } = useEntries<Open>(keyOf === null ? null : { name: keyOf, form: "key" });
  /** Returns why it failed, for whoever asked for it to say so in its place. */
  const attempt: Attempt = async (work) => {
    const failure = await failureOf(work().then(arki.refreshCatalogue));
    if (failure === null) void arki.refreshLiveModels();
    return failure;
  };
  const save = (entry: Params<"save_provider">) => attempt(() => arki.platform.call("save_provider", entry));
  const saveKey = async (provider: string, key: string) => {
    const failure = await attempt(() => arki.platform.call("set_key", { provider, key }));
    // Whether it is the right one shows at once.
    if (failure === null) setOpen({ name: provider, form: "test" });
    return failure;
  };
  return (
    <Entries
      title={t`Providers`}
      problems={[]}
      add={{ words: t`Add provider`, onClick: () => setOpen({ name: null, form: "add" }) }}
      form={open?.form === "add" && <ProviderForm provider={null} onClose={close} onSave={save} />}
    >
      {providers.map((provider) => {
        const { name } = provider;
        const form = open?.name === name ? open.form : null;
        const onOpen = (form: Form) => setOpen({ name, form });
        return (
          <li key={name}>
            <Entry provider={provider} onOpen={onOpen} attempt={attempt} onDone={close} />
            {form === "key" && (
              <KeyForm provider={name} onCancel={close} onSave={(key) => saveKey(name, key)} />
            )}
            {form === "test" && <ProviderTest provider={name} onKey={() => onOpen("key")} onClose={close} />}
            {form === "edit" && <ProviderForm provider={provider} onClose={close} onSave={save} />}
          </li>
        );
      })}
    </Entries>
  );
}

type EntryProps = {
  provider: ProviderEntry;
  onOpen: (form: Form) => void;
  attempt: Attempt;
  onDone: () => void;
};

function Entry({ provider, onOpen: open, attempt, onDone }: EntryProps) {
  const { platform } = useArki();
  const { name, kind, baseUrl, keySource } = provider;
  const about = `provider-${name}`;
  const [error, setError] = useState<CommandError | null>(null);
  const act = (words: string, onClick: () => void) => (
    <Act
      words={words}
      about={about}
      onClick={() => {
        setError(null);
        onClick();
      }}
    />
  );
  const remove = async (work: () => Promise<unknown>) => {
    const failure = await attempt(work);
    setError(failure);
    if (failure === null) onDone();
  };
  return (
    <>
      <EntryLine
        about={about}
        buttons={
          <>
            {act(t`Test connection`, () => open("test"))}
            {kind !== "demo" &&
              act(keySource === "keychain" || keySource === "environment" ? t`Replace key` : t`Set key`, () =>
                open("key"),
              )}
            {keySource === "keychain" &&
              act(t`Remove key`, () => remove(() => platform.call("remove_key", { provider: name })))}
            {act(t`Edit`, () => open("edit"))}
            {!isBuiltIn(provider) &&
              act(t`Remove`, () => remove(() => platform.call("remove_provider", { name })))}
          </>
        }
      >
        <b>{name}</b>
        {kind !== name && <span className="secondary"> {kind}</span>}
        <span className="provider-facts small secondary">
          {keyWords(provider)}
          {baseUrl && (
            <>
              {" · "}
              <code>{baseUrl}</code>
            </>
          )}
        </span>
      </EntryLine>
      {error && <ErrorNote error={error} />}
    </>
  );
}

/** The demo is there whatever the configuration says. */
const isBuiltIn = ({ name, kind }: ProviderEntry) => name === "demo" && kind === "demo";

function keyWords({ keySource, keyEnv }: ProviderEntry): string {
  const words: Record<ProviderEntry["keySource"], string> = {
    keychain: t`✓ key in the keychain`,
    environment: t`✓ key from ${keyEnv ?? t`the environment`}`,
    none_needed: t`✓ needs no key`,
    missing: t`! no key yet`,
  };
  return words[keySource];
}

type TestProps = {
  provider: string;
  /** To the field for its key. */
  onKey: () => void;
  onClose: () => void;
};

/** Tests the provider at once; a model is asked only where one is named, for that costs tokens. */
function ProviderTest({ provider, onKey, onClose }: TestProps) {
  const [asked, setAsked] = useState<Asked>({ model: null });
  const test = useProviderTest(provider, asked);
  return (
    <div>
      <ProviderSteps provider={provider} test={test} onKey={onKey} />
      <Ask
        provider={provider}
        running={test.running}
        onAsk={(model) => setAsked({ model })}
        onClose={onClose}
      />
    </div>
  );
}

type AskProps = {
  provider: string;
  running: boolean;
  onAsk: (model: string | null) => void;
  onClose: () => void;
};

function Ask({ provider, running, onAsk, onClose }: AskProps) {
  const { models } = useCatalogue();
  const [model, setModel] = useState("");
  const list = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onAsk(model.trim() === "" ? null : model.trim());
  };
  return (
    <form className="inline-form" onSubmit={submit}>
      <input
        className="field"
        aria-label={t`Model of ${provider} to ask`}
        placeholder={t`Model to test (optional)`}
        list={list}
        value={model}
        onChange={(event) => setModel(event.target.value)}
      />
      <datalist id={list}>
        {models
          .filter((one) => one.provider === provider)
          .map((one) => (
            <option key={one.id} value={one.model} />
          ))}
      </datalist>
      <Button type="submit" disabled={running}>
        {t`Test again`}
      </Button>
      <Button look="quiet" onClick={onClose}>
        {t`Close`}
      </Button>
      <p className="small secondary">{t`With a model, the test sends a request of a few tokens.`}</p>
    </form>
  );
}

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

type ProviderToSave = { name: string; kind: string; baseUrl: string | null };
type Props = {
  provider: ProviderEntry | null;
  /** Returns why it was not saved. */
  onSave: (entry: ProviderToSave) => Promise<CommandError | null>;
  onClose: () => void;
};

function ProviderForm({ provider, onSave, onClose }: Props) {
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

/** The model new messages use unless another is chosen in the status bar. */
export function Models() {
  const arki = useArki();
  const app = useApp();
  const { models, error: listError } = useCatalogue();
  const { error, attempt } = useActs();
  const chosen = app?.defaultModel ?? "";
  const choose = (model: string) =>
    attempt(async () => {
      await arki.platform.call("set_default_model", { model });
      await arki.refreshApp();
    });
  const shown = error ?? listError;
  const choices = modelChoices(models);
  if (!models.some((model) => model.id === chosen)) choices.unshift([chosen, chosen || t`None chosen`]);
  return (
    <section className="settings-section" aria-label={t`Default model`}>
      <FieldRow
        field={{ key: "model", label: t`Default model`, kind: "choice", choices }}
        value={chosen}
        onChange={(model) => void choose(model)}
      />
      {shown && <ErrorNote error={shown} />}
    </section>
  );
}
