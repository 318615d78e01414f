/** Hands the engine's stores to the features. */
import { createContext, useContext } from "react";
import type { Arki } from "./stores/arki";
import type { SessionView } from "./stores/session_view";
import { useStore } from "./stores/store";

const ArkiContext = createContext<Arki | null>(null);

export const ArkiProvider = ArkiContext.Provider;

export function useArki(): Arki {
  const arki = useContext(ArkiContext);
  if (!arki) throw new Error("useArki outside of ArkiProvider");
  return arki;
}

export const useApp = () => useStore(useArki().app);
export const useSessions = () => useStore(useArki().sessions);
export const useApprovals = () => useStore(useArki().approvals);
export const useCatalogue = () => useStore(useArki().catalogue);

export function useSessionView(sessionId: string): SessionView {
  return useStore(useArki().session(sessionId).view);
}
