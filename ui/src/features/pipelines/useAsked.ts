/** What the engine answers to a command, asked again when something says that it may have changed. */
import { useCallback, useEffect, useRef, useState } from "react";
import { useArki } from "../../platform/context";
import { type Answer, asCommandError, type CommandName, type Params } from "../../platform/platform";
import type { CommandError } from "../../protocol/generated";

/** Steps begin and end in bursts. */
const settleMs = 200;

export type Asked<Name extends CommandName> = ReturnType<typeof useAsked<Name>>;

/** Nothing is asked while `params` are null. `sign` is asked about again when it changes, but not in haste. */
export function useAsked<Name extends CommandName>(name: Name, params: Params<Name> | null, sign: string) {
  const { platform } = useArki();
  const question = params === null ? null : JSON.stringify(params);
  const [known, setKnown] = useState<{ question: string | null; answer: Answer<Name> | null }>(nothing);
  const [error, setError] = useState<CommandError | null>(null);
  const asking = useRef<Asking | null>(null);
  useEffect(() => {
    setError(null);
    if (question === null) return;
    const given = JSON.parse(question) as Params<Name>;
    const now = keepAsking(async (isWanted) => {
      try {
        const answer = await platform.call(name, given);
        if (!isWanted()) return;
        setKnown({ question, answer });
        setError(null);
      } catch (thrown) {
        if (isWanted()) setError(asCommandError(thrown));
      }
    });
    asking.current = now;
    now.ask();
    return now.stop;
  }, [platform, name, question]);
  const seen = useRef(sign);
  useEffect(() => {
    if (seen.current === sign) return;
    seen.current = sign;
    asking.current?.askSoon();
  }, [sign]);
  const ask = useCallback(() => asking.current?.ask(), []);
  /** What came last; null before the first answer, and after the question became another one. */
  const answer = known.question === question ? known.answer : null;
  return { answer, error, ask };
}

const nothing = { question: null, answer: null };

type Asking = ReturnType<typeof keepAsking>;

/** One question at a time; those that come meanwhile are one more. */
function keepAsking(work: (isWanted: () => boolean) => Promise<void>) {
  let timer: ReturnType<typeof setTimeout> | null = null;
  let isBusy = false;
  let isAskedAgain = false;
  let isStopped = false;
  const ask = () => {
    if (isStopped) return;
    if (isBusy) {
      isAskedAgain = true;
      return;
    }
    isBusy = true;
    void work(() => !isStopped).then(() => {
      isBusy = false;
      if (isAskedAgain) askSoon();
      isAskedAgain = false;
    });
  };
  const askSoon = () => {
    if (timer !== null || isStopped) return;
    timer = setTimeout(() => {
      timer = null;
      ask();
    }, settleMs);
  };
  const stop = () => {
    isStopped = true;
    if (timer !== null) clearTimeout(timer);
  };
  return { ask, askSoon, stop };
}
