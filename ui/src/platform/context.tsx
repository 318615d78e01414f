/** Hands the engine's stores to the features. */
import { createContext, useCallback, useContext, useMemo, useSyncExternalStore } from "react";
import type { PendingApproval } from "../protocol/approvals";
import type { AppState, ProjectState } from "../protocol/generated";
import { decidedIn } from "../protocol/sessions";
import type { Arki } from "./stores/arki";
import type { OverviewState } from "./stores/overview";
import type { SessionView } from "./stores/session_view";
import { useStore } from "./stores/store";

const ArkiContext = createContext<Arki | null>(null);

export const ArkiProvider = ArkiContext.Provider;

export function useArki(): Arki {
  const arki = useContext(ArkiContext);
  if (!arki) throw new Error("useArki outside of ArkiProvider");
  return arki;
}

/** Which folder is open is not told here: a feature is handed what the window shows. */
export const useApp = (): Omit<AppState, "project"> | null => useStore(useArki().app);
/** For `app/shown` alone, which makes one value of the open folder and the session. */
export const useOpenFolder = (): ProjectState | null => useStore(useArki().app)?.project ?? null;

/** What the engine says of a folder; null while it is not open. */
export function useFolder(path: string | null): ProjectState | null {
  const open = useOpenFolder();
  return open?.path === path ? open : null;
}

export const useSessions = () => useStore(useArki().sessions);
export const useApprovals = () => useStore(useArki().approvals);
export const useQuestions = () => useStore(useArki().questions);
export const useElicitations = () => useStore(useArki().elicitations);
export const useMemories = () => useStore(useArki().memories);
export const useCatalogue = () => useStore(useArki().catalogue);

/** The session of each question that waits for the user: the model's, and MCP servers' where their session is known. */
export function useAsking(): readonly { sessionId: string }[] {
  const questions = useQuestions();
  const elicitations = useElicitations();
  return useMemo(
    () => [
      ...questions,
      ...elicitations.flatMap(({ sessionId }) => (sessionId === null ? [] : [{ sessionId }])),
    ],
    [questions, elicitations],
  );
}

/** For each approval and each question that waits for the user, the session to decide it in. */
export function useWaiting(): readonly { sessionId: string }[] {
  const sessions = useSessions();
  const approvals = useApprovals();
  const asking = useAsking();
  return useMemo(
    () => [...approvals, ...asking].map(({ sessionId }) => ({ sessionId: decidedIn(sessions, sessionId) })),
    [sessions, approvals, asking],
  );
}

/** The approvals to decide in a session: its own, and those of the sub-agent that it waits for. */
export function useApprovalsIn(sessionId: string | null): readonly PendingApproval[] {
  const sessions = useSessions();
  const approvals = useApprovals();
  return useMemo(
    () =>
      approvals.filter(
        (one) => one.sessionId === sessionId || decidedIn(sessions, one.sessionId) === sessionId,
      ),
    [sessions, approvals, sessionId],
  );
}

/** A part of a session that keeps its identity while others change: deltas then redraw the answer alone. */
export function useSessionPart<T>(sessionId: string, pick: (view: SessionView) => T): T {
  const store = useArki().session(sessionId).view;
  return useSyncExternalStore(store.subscribe, () => pick(store.get()));
}

export function useSessionView(sessionId: string): SessionView {
  return useStore(useArki().session(sessionId).view);
}

/** The session as a whole: its plan, its queue, the files it changed. */
export function useOverview(sessionId: string): OverviewState {
  return useStore(useArki().session(sessionId).overview.state);
}

const noOverview: OverviewState = { overview: null, queue: [], error: null };

/** The same, and nothing before there is a session. */
export function useOverviewOf(sessionId: string | null): OverviewState {
  const arki = useArki();
  const store = sessionId === null ? null : arki.session(sessionId).overview.state;
  const subscribe = useCallback((hear: () => void) => store?.subscribe(hear) ?? (() => undefined), [store]);
  return useSyncExternalStore(subscribe, () => store?.get() ?? noOverview);
}

/** The model of the next message: the one that was chosen, the session's, or the default. */
export function useNextModel(sessionId: string | null, chosen: string | null): string {
  const own = useOverviewOf(sessionId).overview?.model;
  const usual = useApp()?.defaultModel;
  return chosen ?? own ?? usual ?? "";
}
