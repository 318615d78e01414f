import { useCallback, useEffect, useRef, useState } from "react";
import { useArki } from "../platform/context";
import { type Answer, asCommandError, type CommandName, type Params } from "../platform/platform";
import type { CommandError } from "../protocol/generated";

type Told<Name extends CommandName> = {
  question: string | null;
  answer: Answer<Name> | null;
  error: CommandError | null;
};

/**
 * What the engine answers to a command, asked again by `reload`; nothing is asked while `params` are null. `isAnswered`
 * says that an answer or an error has come: a button below a list waits for it, or it would move away from under the
 * pointer.
 */
export function useAnswer<Name extends CommandName>(name: Name, params: Params<Name> | null) {
  const { platform } = useArki();
  const question = params === null ? null : JSON.stringify(params);
  const [told, setTold] = useState<Told<Name>>(nothing);
  const newest = useRef(0);
  const reload = useCallback(async () => {
    newest.current += 1;
    const asked = newest.current;
    if (question === null) return;
    const tell = (part: Partial<Told<Name>>) => {
      if (asked !== newest.current) return;
      setTold((now) => ({ ...(now.question === question ? now : nothing), question, ...part }));
    };
    await platform.call(name, JSON.parse(question)).then(
      (answer) => tell({ answer, error: null }),
      (thrown: unknown) => tell({ error: asCommandError(thrown) }),
    );
  }, [platform, name, question]);
  useEffect(() => void reload(), [reload]);
  const isAnswered = question !== null && told.question === question;
  const { answer, error } = isAnswered ? told : nothing;
  return { answer, error, isAnswered, reload };
}

const nothing = { question: null, answer: null, error: null };
