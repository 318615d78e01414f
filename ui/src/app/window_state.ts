/** What the window shows right now: the selected session, the inspector's tab, the open dialog. No server state. */
import { useCallback, useEffect, useRef, useState } from "react";
import { recall, remember } from "../components/remembered";
import { useApprovalsIn, useArki, useSessions, useWaiting } from "../platform/context";
import { useStore } from "../platform/stores/store";

export type Tab = "changes" | "timeline" | "plan" | "processes";
export type OpenDialog = "settings" | "palette" | "keys" | "trust" | null;

/** The session to show first: one that waits for a decision or an answer, else the one shown last. */
export function useSelection(project: string | null): [string | null, (sessionId: string | null) => void] {
  const [selected, setSelected] = useState<string | null>(null);
  const sessions = useSessions();
  const waiting = useWaiting();
  const ready = useStore(useArki().ready);
  const restored = useRef<string | null>(null);
  useEffect(() => {
    if (!ready || project === null || restored.current === project) return;
    restored.current = project;
    const here = sessions.filter((session) => session.project === project);
    const asks = here.find((one) => waiting.some(({ sessionId }) => sessionId === one.sessionId));
    const last = here.find((one) => one.sessionId === recall("session"));
    setSelected((now) => now ?? asks?.sessionId ?? last?.sessionId ?? null);
  }, [ready, project, sessions, waiting]);
  const select = useCallback((sessionId: string | null) => {
    if (sessionId !== null) remember("session", sessionId);
    setSelected(sessionId);
  }, []);
  return [selected, select];
}

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

/** The next session that waits for the user, going round from the one that is shown. */
export function nextWaiting(
  waiting: readonly { sessionId: string }[],
  selected: string | null,
): string | null {
  const ids = [...new Set(waiting.map((one) => one.sessionId))];
  const at = selected === null ? -1 : ids.indexOf(selected);
  return ids[(at + 1) % Math.max(1, ids.length)] ?? null;
}
