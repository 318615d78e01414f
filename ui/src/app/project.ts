import { useEffect, useRef } from "react";
import { useActs } from "../components/useActs";
import { useArki, useOpenFolder } from "../platform/context";
import type { ProjectState } from "../protocol/generated";

type Hears = {
  onAskTrust: () => void;
  /** Where no system's dialog asks for a folder. */
  onAskFolder: () => void;
};

/** Opening folders: chosen, recent, or given at the start; and when to ask about trust. */
export function useProject({ onAskTrust, onAskFolder }: Hears) {
  const arki = useArki();
  const given = useOpenFolder();
  const asked = useRef<string | null>(null);
  const isMaking = useRef(false);
  const { error, attempt } = useActs();

  const ask = (project: ProjectState) => {
    asked.current = project.path;
    if (arki.platform.can("trust_project") && asksTrust(project)) onAskTrust();
  };
  // A folder handed over by the command line is asked about as if it had been chosen here.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each folder, whatever the handlers are by then
  useEffect(() => {
    if (given && asked.current !== given.path) ask(given);
  }, [given?.path]);

  const open = (path: string) =>
    void attempt(async () => {
      asked.current = path;
      ask(await arki.openProject(path));
    });
  const chooseFolder = () => {
    if (!arki.platform.can("choose_folder")) return onAskFolder();
    void attempt(async () => {
      const path = await arki.platform.call("choose_folder", {});
      if (path !== null) open(path);
    });
  };
  /** `onMade` hears of it before the folder opens. */
  const openSample = (onMade: () => void) => {
    // A second click while one is made makes no second one.
    if (isMaking.current) return;
    isMaking.current = true;
    void attempt(async () => {
      const path = await arki.platform.call("make_sample", {});
      onMade();
      open(path);
    }).finally(() => {
      isMaking.current = false;
    });
  };
  /** Looking at a session of another folder asks nothing: the status bar tells how far that one is trusted. */
  const led = (path: string) => {
    asked.current = path;
  };
  return { open, openSample, chooseFolder, led, error };
}

export function asksTrust(project: ProjectState): boolean {
  return project.trust === "undecided" || (project.trust === "trusted" && project.changed.length > 0);
}
