import { type FormEvent, useEffect, useId, useState } from "react";
import { Button } from "../../components/Button";
import { ErrorNote } from "../../components/ErrorNote";
import { useArki, useCatalogue } from "../../platform/context";
import { asCommandError } from "../../platform/platform";
import type { CommandError, ProviderTestStep } from "../../protocol/generated";
import { Testing, TestStep } from "./TestStep";

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
  const [asked, setAsked] = useState<Asked>({ model: null });
  const { steps, running, error } = useTest(provider, asked);
  return (
    <div>
      {/* Not the list itself: WebKit hides lists without markers from assistive technology. */}
      <section aria-label={`Test of ${provider}`} aria-live="polite" aria-busy={running}>
        <ol className="test-steps">
          {steps.map((step) => (
            <TestStep key={step.step} title={words[step.step]} {...step} />
          ))}
          {running && <Testing />}
        </ol>
      </section>
      {error && <ErrorNote error={error} />}
      <Ask provider={provider} running={running} onAsk={(model) => setAsked({ model })} onClose={onClose} />
    </div>
  );
}

function useTest(provider: string, asked: Asked) {
  const arki = useArki();
  const [steps, setSteps] = useState<ProviderTestStep[]>([]);
  const [running, setRunning] = useState(true);
  const [error, setError] = useState<CommandError | null>(null);
  useEffect(() => {
    // What a test tells after it was closed or asked anew is nobody's.
    let current = true;
    const ended = (fault: CommandError | null) => {
      if (!current) return;
      setRunning(false);
      setError(fault);
    };
    setSteps([]);
    setRunning(true);
    setError(null);
    arki.platform
      .testProvider({ provider, model: asked.model }, (step) => {
        if (current) setSteps((told) => [...told, step]);
      })
      .then(
        () => ended(null),
        (thrown) => ended(asCommandError(thrown)),
      );
    return () => {
      current = false;
    };
  }, [arki, provider, asked]);
  return { steps, running, error };
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
