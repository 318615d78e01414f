import { type FormEvent, useCallback, useId, useState } from "react";
import { Button } from "../../components/Button";
import { useArki, useCatalogue } from "../../platform/context";
import type { ProviderTestStep } from "../../protocol/generated";
import { TestSteps } from "./TestSteps";
import { useTest } from "./useTest";

/** What is asked; a new object starts a new test. */
type Asked = { model: string | null };

const words: Record<ProviderTestStep["step"], string> = {
  settings: "Settings",
  key: "Key",
  reach: "Server",
  tls: "Certificate",
  models: "Models",
  model: "Model",
  answer: "Answer",
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
  const steps = test.steps.map(({ step, ...told }) => ({ ...told, title: words[step] }));
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
        aria-label={`Model of ${provider} to ask`}
        placeholder="Model to ask for a word (optional)"
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
        Test again
      </Button>
      <Button look="quiet" onClick={onClose}>
        Close
      </Button>
      <p className="small secondary">With a model, a request of a few tokens is made.</p>
    </form>
  );
}
