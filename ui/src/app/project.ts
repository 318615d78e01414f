import { useEffect, useRef, useState } from "react";
import { useApp, useArki } from "../platform/context";
import { asCommandError } from "../platform/platform";
import type { CommandError, ProjectState } from "../protocol/generated";

type Hears = { onOpened: () => void; onAskTrust: () => void };

/** Opening folders: chosen, recent, or given at the start; and when to ask about trust. */
export function useProject({ onOpened, onAskTrust }: Hears) {
  const arki = useArki();
  const given = useApp()?.project ?? null;
  const asked = useRef<string | null>(null);
  const [error, setError] = useState<CommandError | null>(null);

  const ask = (project: ProjectState) => {
    asked.current = project.path;
    if (asksTrust(project)) onAskTrust();
  };
  // A folder handed over by the command line is asked about as if it had been chosen here.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each folder, whatever the handlers are by then
  useEffect(() => {
    if (given && asked.current !== given.path) ask(given);
  }, [given?.path]);

  const attempt = async (work: () => Promise<void>) => {
    setError(null);
    try {
      await work();
    } catch (thrown) {
      setError(asCommandError(thrown));
    }
  };
  const open = (path: string) =>
    void attempt(async () => {
      asked.current = path;
      const project = await arki.openProject(path);
      onOpened();
      ask(project);
    });
  const chooseFolder = () =>
    void attempt(async () => {
      const path = await arki.platform.call("choose_folder", {});
      if (path !== null) open(path);
    });
  return { open, chooseFolder, error };
}

export function asksTrust(project: ProjectState): boolean {
  return project.trust === "undecided" || (project.trust === "trusted" && project.changed.length > 0);
}
