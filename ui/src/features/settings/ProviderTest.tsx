import { t } from "@lingui/core/macro";
import { type FormEvent, useId, useState } from "react";
import { Button } from "../../components/Button";
import { type Asked, ProviderSteps, useProviderTest } from "../../components/keys/ProviderSteps";
import { useCatalogue } from "../../platform/context";

type Props = {
  provider: string;
  /** To the field for its key. */
  onKey: () => void;
  onClose: () => void;
};

/** Tests the provider at once; a model is asked only where one is named, for that costs tokens. */
export function ProviderTest({ provider, onKey, onClose }: Props) {
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
