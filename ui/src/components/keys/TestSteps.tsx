import { i18n } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { type ReactNode, useEffect, useState } from "react";
import { asCommandError } from "../../platform/platform";
import type { CommandError } from "../../protocol/generated";
import { ErrorNote } from "../ErrorNote";
import { duration } from "../format";
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
export type TestRun<Step> = { steps: readonly Step[]; running: boolean; error: CommandError | null };

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
