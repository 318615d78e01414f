import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { type ReactNode, useCallback, useEffect, useState } from "react";
import { useArki } from "../../platform/context";
import { asCommandError } from "../../platform/platform";
import type { CommandError, ProviderTestStep } from "../../protocol/generated";
import { ErrorNote } from "../ErrorNote";
import { duration } from "../format";
import { useLatest } from "../latest";
import { KeyButton } from "./KeyButton";
import "./keys.css";

/** One step of a test, as it ended. */
type ShownStep = {
  title: string;
  state: "ok" | "failed" | "skipped";
  durationMs: number;
  message: string;
  code: string | null;
  hint: string | null;
};

const glyphs = { ok: "✓", failed: "✕", skipped: "–" };
const states = { ok: null, failed: msg`failed:`, skipped: msg`skipped:` };

type Props = {
  /** What is tested. */
  name: string;
  test: TestRun<ShownStep>;
  /** What can be done about a step that failed with this code. */
  remedy?: (code: string) => ReactNode;
  /** What else there is to know of it. */
  children?: ReactNode;
};

/** A test's steps as they end, and the fault that kept it from ending. */
export function TestSteps({ name, test, remedy, children }: Props) {
  return (
    <>
      {/* Not the list itself: WebKit hides lists without markers from assistive technology. */}
      <section aria-label={t`Test of ${name}`} aria-live="polite" aria-busy={test.running}>
        <ol className="test-steps">
          {test.steps.map((step) => (
            <Step key={step.title} {...step} remedy={remedy} />
          ))}
          {test.running && (
            <li className="test-step secondary">
              <span aria-hidden>◐</span>
              <span>{t`Testing…`}</span>
            </li>
          )}
        </ol>
        {children}
      </section>
      {test.error && <ErrorNote error={test.error} />}
    </>
  );
}

/** The step that failed says what to do. */
function Step({ title, state, durationMs, message, code, hint, remedy }: ShownStep & Pick<Props, "remedy">) {
  const words = states[state];
  return (
    <li className="test-step">
      <span className={state} aria-hidden>
        {glyphs[state]}
      </span>
      <span>{title}</span>
      <span className={state === "skipped" ? "secondary" : undefined}>
        <span className="sr-only">{words && `${i18n._(words)} `}</span>
        {state !== "failed" && message}
      </span>
      <span className="small secondary">{duration(durationMs)}</span>
      {state === "failed" && (
        <ErrorNote error={{ code: code ?? "", message, hint: hint ?? "" }}>{remedy?.(code ?? "")}</ErrorNote>
      )}
    </li>
  );
}

/** A test as far as it has come. */
type TestRun<Step> = { steps: readonly Step[]; running: boolean; error: CommandError | null };

type Start<Step> = (onStep: (step: Step) => void) => Promise<boolean>;

/** Tests at once, and anew whenever `start` becomes another function, so hand it a memoized one. */
export function useTest<Step>(start: Start<Step>): TestRun<Step> {
  const [run, setRun] = useState<TestRun<Step>>(begun);
  useEffect(() => {
    // What a test tells after it was closed or begun anew is nobody's.
    let current = true;
    const ended = (error: CommandError | null) => {
      if (current) setRun(({ steps }) => ({ steps, running: false, error }));
    };
    setRun(begun);
    start((step) => {
      if (current) setRun((now) => ({ ...now, steps: [...now.steps, step] }));
    }).then(
      () => ended(null),
      (thrown) => ended(asCommandError(thrown)),
    );
    return () => {
      current = false;
    };
  }, [start]);
  return run;
}

const begun = { steps: [], running: true, error: null };

/** What is asked; a new object starts a new test. */
export type Asked = { model: string | null };

const words: Record<ProviderTestStep["step"], MessageDescriptor> = {
  settings: msg`Settings`,
  key: msg`Key`,
  reach: msg`Server`,
  tls: msg`Certificate`,
  models: msg`Models`,
  model: msg`Model`,
  answer: msg`Answer`,
};

export function useProviderTest(provider: string, asked: Asked): TestRun<ProviderTestStep> {
  const arki = useArki();
  return useTest<ProviderTestStep>(
    useCallback(
      (onStep) => arki.platform.testProvider({ provider, ...asked }, onStep),
      [arki, provider, asked],
    ),
  );
}

type StepsProps = {
  provider: string;
  test: TestRun<ProviderTestStep>;
  /** To the field for another key; absent where one is there already. */
  onKey?: () => void;
};

/** The test of a provider, step by step. */
export function ProviderSteps({ provider, test, onKey }: StepsProps) {
  const steps = test.steps.map(({ step, ...told }) => ({ ...told, title: i18n._(words[step]) }));
  const remedy = onKey && ((code: string) => <KeyButton code={code} provider={provider} onKey={onKey} />);
  return <TestSteps name={provider} test={{ ...test, steps }} remedy={remedy} />;
}

/** Whether a test has ended without a fault. */
const hasPassed = ({ steps, running, error }: TestRun<ProviderTestStep>) =>
  !running && error === null && steps.every((step) => step.state !== "failed");

/** Tests once, and says how it ended. */
export function TestOnce({ provider, onEnd }: { provider: string; onEnd: (passed: boolean) => void }) {
  const test = useProviderTest(provider, nothing);
  const latest = useLatest(onEnd);
  const { running } = test;
  const passed = hasPassed(test);
  useEffect(() => {
    if (!running) latest.current(passed);
  }, [running, passed, latest]);
  return <ProviderSteps provider={provider} test={test} />;
}

const nothing: Asked = { model: null };
