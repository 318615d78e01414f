import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { type FormEvent, useCallback, useId, useState } from "react";
import { Button } from "../../components/Button";
import { useArki, useCatalogue } from "../../platform/context";
import type { ProviderTestStep } from "../../protocol/generated";
import { TestSteps } from "./TestSteps";
import { useTest } from "./useTest";

/** What is asked; a new object starts a new test. */
type Asked = { model: string | null };

const words: Record<ProviderTestStep["step"], MessageDescriptor> = {
  settings: msg`Settings`,
  key: msg`Key`,
  reach: msg`Server`,
  tls: msg`Certificate`,
  models: msg`Models`,
  model: msg`Model`,
  answer: msg`Answer`,
};

/** Tests the provider at once; a model is asked only where one is named, for that costs tokens. */
export function ProviderTest({ provider, onClose }: { provider: string; onClose: () => void }) {
  const arki = useArki();
  const [asked, setAsked] = useState<Asked>({ model: null });
  const test = useTest<ProviderTestStep>(
    useCallback(
      (onStep) => arki.platform.testProvider({ provider, ...asked }, onStep),
      [arki, provider, asked],
    ),
  );
  const steps = test.steps.map(({ step, ...told }) => ({ ...told, title: i18n._(words[step]) }));
  return (
    <div>
      <TestSteps name={provider} test={{ ...test, steps }} />
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
