/** Looks for an update once a day, where the user wants that: whichever window comes first looks for all. */
import { useEffect } from "react";
import { recall, remember } from "../components/remembered";
import { useApp, useArki } from "../platform/context";

const dayMs = 24 * 60 * 60 * 1000;
const hourMs = 60 * 60 * 1000;
const kept = "lookedForUpdate";

export function useDailyUpdate() {
  const { updates } = useArki();
  const wanted = useApp()?.looksForUpdates ?? false;
  useEffect(() => {
    if (!wanted) return;
    const look = () => {
      const last = Number(recall(kept)) || 0;
      // A clock that was put back must not stop it for years.
      if (Math.abs(Date.now() - last) < dayMs) return;
      remember(kept, `${Date.now()}`);
      void updates.look();
    };
    look();
    const timer = setInterval(look, hourMs);
    return () => clearInterval(timer);
  }, [updates, wanted]);
}
