import { useEffect, useState } from "react";
import { useSessions } from "../../platform/context";
import type { SessionState } from "../../protocol/generated";

const unfinished: readonly SessionState[] = ["running", "waiting", "paused"];
const tickMs = 1000;

/** The time, while the session's run is not over; else null. */
export function useNow(sessionId: string): number | null {
  const state = useSessions().find((one) => one.sessionId === sessionId)?.state;
  const isUnfinished = state !== undefined && unfinished.includes(state);
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isUnfinished) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), tickMs);
    return () => clearInterval(timer);
  }, [isUnfinished]);
  return isUnfinished ? now : null;
}
