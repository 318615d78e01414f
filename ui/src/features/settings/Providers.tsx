import { t } from "@lingui/core/macro";
import { Plus } from "lucide-react";
import { useState } from "react";
import { Button } from "../../components/Button";
import { ErrorNote } from "../../components/ErrorNote";
import { KeyForm } from "../../components/keys/KeyForm";
import { List } from "../../components/List";
import { useArki, useCatalogue } from "../../platform/context";
import { asCommandError, type Params } from "../../platform/platform";
import type { CommandError, ProviderEntry } from "../../protocol/generated";
import { ProviderForm } from "./ProviderForm";
import { ProviderTest } from "./ProviderTest";

type Form = "key" | "edit" | "test";
type Open = { name: string; form: Form } | { name: null; form: "add" } | null;

type Attempt = (work: () => Promise<unknown>) => Promise<CommandError | null>;

export function Providers({ keyOf }: { keyOf: string | null }) {
  const arki = useArki();
  const { providers } = useCatalogue();
  const [open, setOpen] = useState<Open>(keyOf === null ? null : { name: keyOf, form: "key" });
  /** Returns why it failed, for whoever asked for it to say so in its place. */
  const attempt: Attempt = async (work) => {
    const before = open;
    try {
      await work();
      await arki.refreshCatalogue();
    } catch (thrown) {
      return asCommandError(thrown);
    }
    // What was opened meanwhile stays.
    setOpen((now) => (now === before ? null : now));
    void arki.refreshLiveModels();
    return null;
  };
  const saveProvider = (entry: Params<"save_provider">) =>
    attempt(() => arki.platform.call("save_provider", entry));
  return (
    <section className="settings-section" aria-labelledby="providers-title">
      <h3 id="providers-title">{t`Providers`}</h3>
      <List className="providers">
        {providers.map((provider) => (
          <li key={provider.name} className="provider">
            <Entry
              provider={provider}
              onOpen={(form) => setOpen({ name: provider.name, form })}
              attempt={attempt}
            />
            {open?.name === provider.name && open.form === "key" && (
              <KeyForm
                provider={provider.name}
                onCancel={() => setOpen(null)}
                onSave={async (key) => {
                  const work = () => arki.platform.call("set_key", { provider: provider.name, key });
                  // Whether it is the right one shows at once.
                  const failure = await attempt(work);
                  if (failure === null) setOpen({ name: provider.name, form: "test" });
                  return failure;
                }}
              />
            )}
            {open?.name === provider.name && open.form === "test" && (
              <ProviderTest
                provider={provider.name}
                onKey={() => setOpen({ name: provider.name, form: "key" })}
                onClose={() => setOpen(null)}
              />
            )}
            {open?.name === provider.name && open.form === "edit" && (
              <ProviderForm provider={provider} onCancel={() => setOpen(null)} onSave={saveProvider} />
            )}
          </li>
        ))}
      </List>
      {open?.form === "add" ? (
        <ProviderForm provider={null} onCancel={() => setOpen(null)} onSave={saveProvider} />
      ) : (
        <Button
          small
          icon={<Plus size={14} aria-hidden />}
          onClick={() => setOpen({ name: null, form: "add" })}
        >
          {t`Add provider`}
        </Button>
      )}
    </section>
  );
}

type EntryProps = {
  provider: ProviderEntry;
  onOpen: (form: Form) => void;
  attempt: Attempt;
};

function Entry({ provider, onOpen: open, attempt }: EntryProps) {
  const arki = useArki();
  const { name, kind, baseUrl, keySource } = provider;
  const about = `provider-${name}`;
  const [error, setError] = useState<CommandError | null>(null);
  const onOpen = (form: Form) => {
    setError(null);
    open(form);
  };
  const remove = async (work: () => Promise<unknown>) => {
    setError(null);
    setError(await attempt(work));
  };
  return (
    <>
      <div className="provider-line">
        <span className="grow" id={about}>
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
        </span>
        <Button small look="quiet" aria-describedby={about} onClick={() => onOpen("test")}>
          {t`Test connection`}
        </Button>
        {kind !== "demo" && (
          <Button small look="quiet" aria-describedby={about} onClick={() => onOpen("key")}>
            {keySource === "keychain" || keySource === "environment" ? t`Replace key` : t`Set key`}
          </Button>
        )}
        {keySource === "keychain" && (
          <Button
            small
            look="quiet"
            aria-describedby={about}
            onClick={() => void remove(() => arki.platform.call("remove_key", { provider: name }))}
          >
            {t`Remove key`}
          </Button>
        )}
        <Button small look="quiet" aria-describedby={about} onClick={() => onOpen("edit")}>
          {t`Edit`}
        </Button>
        {!isBuiltIn(provider) && (
          <Button
            small
            look="quiet"
            aria-describedby={about}
            onClick={() => void remove(() => arki.platform.call("remove_provider", { name }))}
          >
            {t`Remove`}
          </Button>
        )}
      </div>
      {error && <ErrorNote error={error} />}
    </>
  );
}

/** The demo is there whatever the configuration says. */
const isBuiltIn = ({ name, kind }: ProviderEntry) => name === "demo" && kind === "demo";

function keyWords({ keySource, keyEnv }: ProviderEntry): string {
  switch (keySource) {
    case "keychain":
      return t`✓ key in the keychain`;
    case "environment":
      return t`✓ key from ${keyEnv ?? t`the environment`}`;
    case "none_needed":
      return t`✓ needs no key`;
    case "missing":
      return t`! no key yet`;
  }
}
