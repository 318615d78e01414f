import { useEffect, useState } from "react";
import { asCommandError } from "../../platform/platform";
import type { CommandError } from "../../protocol/generated";

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
