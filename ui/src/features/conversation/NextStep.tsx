/** After the first change that was ever accepted: what comes next, in one line, until something is said. */
import { t } from "@lingui/core/macro";
import { useEffect, useState } from "react";
import { recall, remember } from "../../components/remembered";

const key = "first-change";

type Props = { sessionId: string; hasChanged: boolean; isIdle: boolean };

export function NextStep({ sessionId, hasChanged, isIdle }: Props) {
  /** The session of the first change, and "told" once it went on. */
  const [first, setFirst] = useState(() => recall(key));
  const isNow = first === sessionId;
  useEffect(() => {
    const next = first === null && isIdle && hasChanged ? sessionId : isNow && !isIdle ? "told" : null;
    if (next === null) return;
    remember(key, next);
    setFirst(next);
  }, [first, isNow, isIdle, hasChanged, sessionId]);
  if (!isNow || !isIdle) return null;
  return (
    <p className="foot-note small">
      {t`The change is in your folder. Say what comes next, or undo it with “Revert last” under Changes.`}
    </p>
  );
}
