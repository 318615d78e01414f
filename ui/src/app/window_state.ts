/** What else the window shows right now: the inspector's tab, the open dialog, the title. No server state. */
import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { useLatest } from "../components/latest";
import { workingWords } from "../components/working_words";
import { useApprovalsIn, useArki, useOverviewOf, useSessions, useWaiting } from "../platform/context";
import { useStore } from "../platform/stores/store";
import type { AskedOfWindow } from "../protocol/generated";
import { workingOf } from "../protocol/working";

export type Tab = "changes" | "timeline" | "plan" | "context" | "processes";
export type OpenDialog =
  | "settings"
  | "rules"
  | "palette"
  | "keys"
  | "trust"
  | "folder"
  | "reflection"
  | "updates"
  | null;

/** Runs once for each approval that starts to wait in the visible session. */
export function useOnApproval(sessionId: string | null, onApproval: () => void): void {
  const approvals = useApprovalsIn(sessionId);
  const seen = useRef(new Set<string>());
  useEffect(() => {
    const fresh = approvals.filter((one) => !seen.current.has(one.approvalId));
    for (const one of fresh) seen.current.add(one.approvalId);
    if (fresh.length > 0) onApproval();
  }, [approvals, onApproval]);
}

/** By the room that it wants: nothing, what is read as words, lines of code. */
export type Earned = 0 | 1 | 2;

/**
 * What the inspector has to show of the session: a decision that waits or was made here, a change, a plan. As before
 * until the session has been fetched, so that the columns hold still.
 */
export function useEarnsInspector(sessionId: string | null): Earned {
  const approvals = useApprovalsIn(sessionId);
  const [asked, setAsked] = useState<ReadonlyMap<string, Earned>>(new Map());
  const [last, setLast] = useState<Earned>(0);
  const { overview, error } = useOverviewOf(sessionId);
  const asks = approvals.some(({ preview }) => preview) ? 2 : approvals.length > 0 ? 1 : 0;
  const id = sessionId ?? "";
  const before = asked.get(id) ?? 0;
  // What was decided stays in sight: it would be gone in the moment of the decision.
  if (asks > before) setAsked(new Map(asked).set(id, asks));
  const has = overview?.changedFiles.length ? 2 : overview?.plan?.steps.length ? 1 : 0;
  const isUnknown = sessionId !== null && overview === null && error === null;
  const earns = Math.max(asks, before, isUnknown ? last : has) as Earned;
  if (earns !== last) setLast(earns);
  return earns;
}

export function useTitle(sessionId: string | null): void {
  const waiting = useWaiting().length;
  const session = useSessions().find((one) => one.sessionId === sessionId);
  const title = session?.title;
  const doing = useDoing(session?.state === "running" ? sessionId : null);
  useEffect(() => {
    const parts = [doing && `◐ ${doing}`, title, "Arki"].filter(Boolean);
    document.title = `${waiting > 0 ? `(${waiting}) ` : ""}${parts.join(" – ")}`;
  }, [waiting, title, doing]);
}

/** What the run of a session does right now, in words; another one only where it does something else. */
function useDoing(sessionId: string | null): string {
  const arki = useArki();
  const store = sessionId === null ? null : arki.session(sessionId).view;
  const subscribe = useCallback((hear: () => void) => store?.subscribe(hear) ?? (() => undefined), [store]);
  return useSyncExternalStore(subscribe, () => {
    if (store === null) return "";
    const { transcript, live, window } = store.get();
    return workingWords(workingOf({ transcript, live, events: window.events }), null);
  });
}

/** How many decisions wait, on the app's icon. */
export function useBadge(): void {
  const { platform } = useArki();
  const waiting = useWaiting().length;
  useEffect(() => {
    // A desktop without such numbers is none the worse.
    void platform.setBadge(waiting === 0 ? null : waiting).catch(() => undefined);
  }, [platform, waiting]);
}

/** What the user asks for from outside the page. */
export function useOnAsked(onAsked: (asked: AskedOfWindow) => void): void {
  const { platform } = useArki();
  const ready = useStore(useArki().ready);
  const latest = useLatest(onAsked);
  useEffect(() => {
    // Where a session leads, and what waits, is known with the lists.
    if (!ready) return;
    const listening = platform.onAsked((asked) => latest.current(asked));
    return () => void listening.then((stop) => stop());
  }, [platform, ready, latest]);
}

/** The next session that waits for the user, going round from the one that is shown. */
export function nextWaiting(waiting: readonly { sessionId: string }[], selected: string | null) {
  const ids = [...new Set(waiting.map((one) => one.sessionId))];
  const at = selected === null ? -1 : ids.indexOf(selected);
  return ids[(at + 1) % Math.max(1, ids.length)] ?? null;
}
