import { useEffect, useState } from "react";
import { useArki } from "../../platform/context";
import { asCommandError } from "../../platform/platform";
import type { CommandError, Observation, ObservationType } from "../../protocol/generated";

/** Of a long session the newest are kept. */
export const maxObservations = 2000;

/** The engine answers when there is something to tell: of a session without any it says nothing. */
export const patienceMs = 2000;

type Known = {
  /** Nothing has come yet, and nothing has failed. */
  isLoading: boolean;
  seen: readonly Observation[];
  isCut: boolean;
  error: CommandError | null;
};

const none: Known = { isLoading: true, seen: [], isCut: false, error: null };

/** A session's observations, oldest first: all of the past, then each as it comes. Null: of every type. */
export function useObservations(sessionId: string, type: ObservationType | null) {
  const { platform } = useArki();
  const [known, setKnown] = useState<Known>(none);
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt begins anew
  useEffect(() => {
    let isOver = false;
    let number: number | null = null;
    const end = () => {
      if (number !== null) platform.call("end_observations", { number }).catch(() => {});
      number = null;
    };
    const answered = (part: Partial<Known>) => {
      if (!isOver) setKnown((now) => ({ ...now, isLoading: false, ...part }));
    };
    const hear = async () => {
      const types = type === null ? [] : [type];
      number = await platform.call("begin_observations", {
        filter: { types, sessionId, since: null, until: null },
      });
      while (!isOver && number !== null) {
        const seen = await platform.call("next_observations", { number });
        if (isOver || seen === null) break;
        setKnown((now) => joined(now, seen));
      }
      answered({});
      end();
    };
    setKnown(none);
    const patience = setTimeout(() => answered({}), patienceMs);
    hear().catch((thrown) => answered({ error: asCommandError(thrown) }));
    return () => {
      isOver = true;
      clearTimeout(patience);
      end();
    };
  }, [platform, sessionId, type, attempt]);
  return { ...known, retry: () => setAttempt(attempt + 1) };
}

function joined(now: Known, seen: readonly Observation[]): Known {
  const all = [...now.seen, ...seen];
  const isCut = now.isCut || all.length > maxObservations;
  return { ...now, isLoading: false, seen: all.slice(-maxObservations), isCut };
}
