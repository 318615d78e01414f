/** Sessions whose run ended while the user looked at something else, until they look at them. Kept over a restart. */
import { useEffect, useState } from "react";
import { recall, remember } from "../../components/remembered";
import type { SessionState, SessionSummary } from "../../protocol/generated";
import { isActive } from "../../protocol/sessions";

const key = "unread";
/** More than anyone comes back to. */
const most = 200;

/** How they stood when the list was last heard of: also what ends while the list is hidden is unread. */
let before: ReadonlyMap<string, SessionState> = new Map();

export function useUnread(sessions: readonly SessionSummary[], selected: string | null): ReadonlySet<string> {
  const [unread, setUnread] = useState<ReadonlySet<string>>(recalled);
  useEffect(() => {
    const ended = sessions.filter(({ sessionId, state }) => {
      const was = before.get(sessionId);
      return was !== undefined && isActive(was) && !isActive(state);
    });
    before = new Map(
      sessions.filter(({ state }) => isActive(state)).map((one) => [one.sessionId, one.state]),
    );
    setUnread((now) => {
      const next = new Set([...now, ...ended.map((one) => one.sessionId)]);
      if (selected !== null) next.delete(selected);
      if (next.size === now.size && ended.length === 0) return now;
      const kept = [...next].slice(-most);
      remember(key, JSON.stringify(kept));
      return new Set(kept);
    });
  }, [sessions, selected]);
  return unread;
}

function recalled(): ReadonlySet<string> {
  try {
    const ids: unknown = JSON.parse(recall(key) ?? "[]");
    return new Set(Array.isArray(ids) ? ids.filter((one) => typeof one === "string") : []);
  } catch {
    return new Set();
  }
}
