import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { useCallback, useEffect, useState } from "react";
import { Button } from "../../components/Button";
import { TestSteps } from "../../components/keys/TestSteps";
import { useTest } from "../../components/keys/useTest";
import { useArki } from "../../platform/context";
import type { McpTestStep } from "../../protocol/generated";
import { OpenedPart } from "./OpenedPart";
import { ServerText } from "./ServerText";

const words: Record<McpTestStep["step"], MessageDescriptor> = {
  start: msg`Start`,
  initialize: msg`Handshake`,
  tools: msg`Tools`,
};

type Props = { name: string; onTested: () => void; onClose: () => void };

/** Starts the server at once and shows each step; the one that fails with what the server printed. */
export function McpTest({ name, onTested, onClose }: Props) {
  const arki = useArki();
  const [asked, setAsked] = useState({ name });
  const test = useTest<McpTestStep>(
    useCallback((onStep) => arki.platform.testMcpServer(asked, onStep), [arki, asked]),
  );
  useEffect(() => {
    if (!test.running) onTested();
  }, [test.running, onTested]);
  const steps = test.steps.map(({ step, ok, ...told }) => ({
    ...told,
    title: i18n._(words[step]),
    state: ok ? ("ok" as const) : ("failed" as const),
  }));
  const trail = test.steps.at(-1)?.trail;
  return (
    <OpenedPart
      onClose={onClose}
      actions={
        <Button small disabled={test.running} onClick={() => setAsked({ name })}>
          {t`Test again`}
        </Button>
      }
    >
      <TestSteps name={name} test={{ ...test, steps }}>
        {trail && <ServerText title={t`Last output:`} text={trail} />}
      </TestSteps>
    </OpenedPart>
  );
}
