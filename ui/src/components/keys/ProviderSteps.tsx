/** The test of a provider, step by step. */
import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { useCallback, useEffect } from "react";
import { useArki } from "../../platform/context";
import type { ProviderTestStep } from "../../protocol/generated";
import { useLatest } from "../latest";
import { KeyButton } from "./KeyButton";
import { type TestRun, TestSteps, useTest } from "./TestSteps";

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

type Props = {
  provider: string;
  test: TestRun<ProviderTestStep>;
  /** To the field for another key; absent where one is there already. */
  onKey?: () => void;
};

export function ProviderSteps({ provider, test, onKey }: Props) {
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
