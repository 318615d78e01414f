import { useEffect, useState } from "react";
import { useArki } from "../../platform/context";
import { asCommandError } from "../../platform/platform";
import type { CommandError, Observation, ObservationType } from "../../protocol/generated";

/** Of a long session the newest are kept. */
export const maxObservations = 2000;

type Known = { seen: readonly Observation[]; isCut: boolean; error: CommandError | null };

const none: Known = { seen: [], isCut: false, error: null };

/** A session's observations, oldest first: all of the past, then each as it comes. Null: of every type. */
export function useObservations(sessionId: string, type: ObservationType | null): Known {
  const { platform } = useArki();
  const [known, setKnown] = useState<Known>(none);
  useEffect(() => {
    let isOver = false;
    let number: number | null = null;
    const end = () => {
      if (number !== null) platform.call("end_observations", { number }).catch(() => {});
      number = null;
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
      end();
    };
    setKnown(none);
    hear().catch((thrown) => {
      if (!isOver) setKnown((now) => ({ ...now, error: asCommandError(thrown) }));
    });
    return () => {
      isOver = true;
      end();
    };
  }, [platform, sessionId, type]);
  return known;
}

function joined(now: Known, seen: readonly Observation[]): Known {
  const all = [...now.seen, ...seen];
  return { ...now, seen: all.slice(-maxObservations), isCut: now.isCut || all.length > maxObservations };
}
