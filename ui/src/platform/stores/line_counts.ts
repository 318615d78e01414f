/** How many lines sessions changed: asked for where somebody looks, and anew once they change more. */
import type { Event, SessionLines } from "../../protocol/generated";
import type { Platform } from "../platform";
import { createStore } from "./store";

/** So many are asked for at once. */
const most = 100;
/** Whoever scrolls or filters looks at nothing yet: rows are asked for once others have stopped coming in sight. */
const restMs = 150;

const changes = new Set<Event["type"]>(["file.changed", "change.taken_back", "session.rewound"]);

export function createLineCounts(platform: Platform) {
  const store = createStore<ReadonlyMap<string, SessionLines>>(new Map());
  const asked = new Set<string>();
  const due = new Set<string>();
  let isAsking = false;
  let timer: ReturnType<typeof setTimeout> | null = null;
  const ask = async () => {
    const sessionIds = [...due].slice(0, most);
    for (const id of sessionIds) due.delete(id);
    const counts = await platform.call("session_lines", { sessionIds });
    store.update((now) => {
      // Most have none, and nothing is drawn anew for them.
      if (counts.length === 0 && !sessionIds.some((id) => now.has(id))) return now;
      const next = new Map(now);
      for (const id of sessionIds) next.delete(id);
      for (const lines of counts) next.set(lines.sessionId, lines);
      return next;
    });
  };
  const askSoon = () => {
    if (due.size === 0 || isAsking || timer !== null) return;
    timer = setTimeout(() => {
      timer = null;
      isAsking = true;
      void ask()
        // A count that can't be told is none.
        .catch(() => undefined)
        .then(() => {
          isAsking = false;
          askSoon();
        });
    }, restMs);
  };
  return {
    /** By session; one that changed no file isn't in it. */
    store,
    /** These are in sight: those that are not known yet are asked for. */
    want: (sessionIds: readonly string[]) => {
      const come = sessionIds.filter((one) => !asked.has(one));
      if (come.length === 0) return;
      for (const id of come) {
        asked.add(id);
        due.add(id);
      }
      if (timer !== null) clearTimeout(timer);
      timer = null;
      askSoon();
    },
    apply: (events: readonly Event[]) => {
      for (const { type, sessionId } of events)
        if (changes.has(type) && asked.has(sessionId)) due.add(sessionId);
      askSoon();
    },
  };
}
