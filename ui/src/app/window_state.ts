/** What else the window shows right now: the inspector's tab, the open dialog, the title. No server state. */
import { useEffect, useRef } from "react";
import { useLatest } from "../components/latest";
import { useApprovalsIn, useArki, useSessions, useWaiting } from "../platform/context";
import { useStore } from "../platform/stores/store";

export type Tab = "changes" | "timeline" | "plan" | "context" | "processes";
export type OpenDialog =
  | "settings"
  | "palette"
  | "keys"
  | "trust"
  | "memory"
  | "reflection"
  | "pipelines"
  | "usage"
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

export function useTitle(sessionId: string | null): void {
  const waiting = useWaiting().length;
  const title = useSessions().find((one) => one.sessionId === sessionId)?.title;
  useEffect(() => {
    document.title = `${waiting > 0 ? `(${waiting}) ` : ""}${title ? `${title} – ` : ""}Arki`;
  }, [waiting, title]);
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

/** A session that the user asks for from outside the window. */
export function useOnSession(onSession: (sessionId: string) => void): void {
  const { platform } = useArki();
  const ready = useStore(useArki().ready);
  const latest = useLatest(onSession);
  useEffect(() => {
    // Where it leads is known with the list of sessions.
    if (!ready) return;
    const listening = platform.onSession((sessionId) => latest.current(sessionId));
    return () => void listening.then((stop) => stop());
  }, [platform, ready, latest]);
}

/** The next session that waits for the user, going round from the one that is shown. */
export function nextWaiting(
  waiting: readonly { sessionId: string }[],
  selected: string | null,
): string | null {
  const ids = [...new Set(waiting.map((one) => one.sessionId))];
  const at = selected === null ? -1 : ids.indexOf(selected);
  return ids[(at + 1) % Math.max(1, ids.length)] ?? null;
}
