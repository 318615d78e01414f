import { useEffect, useState } from "react";
import { Button } from "../../components/Button";
import { VisibleText } from "../../components/code/VisibleText";
import { ErrorNote } from "../../components/ErrorNote";
import { useArki } from "../../platform/context";
import { asCommandError } from "../../platform/platform";
import type { CommandError, McpTestStep } from "../../protocol/generated";
import { Testing, TestStep } from "./TestStep";

const words: Record<McpTestStep["step"], string> = {
  start: "Start",
  initialize: "Handshake",
  tools: "Tools",
};

/** Starts the server at once and shows each step; the one that fails with what the server printed. */
export function McpTest({ name, onClose }: { name: string; onClose: () => void }) {
  const arki = useArki();
  const [attempt, setAttempt] = useState(1);
  const [steps, setSteps] = useState<McpTestStep[]>([]);
  const [running, setRunning] = useState(true);
  const [error, setError] = useState<CommandError | null>(null);
  useEffect(() => {
    // What a test tells after it was closed or begun anew is nobody's.
    let current = attempt > 0;
    const ended = (fault: CommandError | null) => {
      if (!current) return;
      setRunning(false);
      setError(fault);
    };
    setSteps([]);
    setRunning(true);
    setError(null);
    arki.platform
      .testMcpServer({ name }, (step) => {
        if (current) setSteps((told) => [...told, step]);
      })
      .then(
        () => ended(null),
        (thrown) => ended(asCommandError(thrown)),
      );
    return () => {
      current = false;
    };
  }, [arki, name, attempt]);
  const trail = steps.at(-1)?.trail;
  return (
    <div className="mcp-part">
      <section aria-label={`Test of ${name}`} aria-live="polite" aria-busy={running}>
        <ol className="test-steps">
          {steps.map(({ ok, ...step }) => (
            <TestStep key={step.step} {...step} title={words[step.step]} state={ok ? "ok" : "failed"} />
          ))}
          {running && <Testing />}
        </ol>
        {trail && (
          <>
            <p className="small secondary">What it printed last:</p>
            <pre className="mcp-text" tabIndex={0}>
              <VisibleText text={trail} />
            </pre>
          </>
        )}
      </section>
      {error && <ErrorNote error={error} />}
      <div className="error-actions">
        <Button small disabled={running} onClick={() => setAttempt(attempt + 1)}>
          Test again
        </Button>
        <Button small look="quiet" onClick={onClose}>
          Close
        </Button>
      </div>
    </div>
  );
}
