/** What is heard from around the page, and told there: nothing of it is needed for the first content. */
import { type ComponentProps, useEffect } from "react";
import { useLatest } from "../components/latest";
import { isModalOpen } from "../components/modal";
import { recall, remember } from "../components/remembered";
import { useApp, useArki } from "../platform/context";
import { NativeMenus } from "./NativeMenus";
import type { Window } from "./use_window";

type Steps = Pick<Window, "back" | "forward">;

/** `steps`: null while a dialog asks something. */
type Props = { menus: ComponentProps<typeof NativeMenus>; steps: Steps | null };

export function Outside({ menus, steps }: Props) {
  useDailyUpdate();
  useFreshOnReturn();
  useMouseSteps(steps);
  return <NativeMenus {...menus} />;
}

/** What other processes did while nobody looked, such as dying in the middle of a run, is told by no event. */
function useFreshOnReturn() {
  const arki = useArki();
  useEffect(() => {
    const onFocus = () => {
      void Promise.all([arki.refreshSessions(), arki.refreshApprovals()]).catch(() => undefined);
    };
    window.addEventListener("focus", onFocus);
    return () => window.removeEventListener("focus", onFocus);
  }, [arki]);
}

/** The buttons at a mouse's side. */
function useMouseSteps(steps: Steps | null) {
  const latest = useLatest(steps);
  useEffect(() => {
    const onMouseUp = (event: MouseEvent) => {
      if (event.button !== 3 && event.button !== 4) return;
      event.preventDefault();
      if (!isModalOpen()) (event.button === 3 ? latest.current?.back : latest.current?.forward)?.();
    };
    window.addEventListener("mouseup", onMouseUp);
    return () => window.removeEventListener("mouseup", onMouseUp);
  }, [latest]);
}

const dayMs = 24 * 60 * 60 * 1000;
const hourMs = 60 * 60 * 1000;
const kept = "lookedForUpdate";

/** Looks for an update once a day, where the user wants that: whichever window comes first looks for all. */
function useDailyUpdate() {
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
