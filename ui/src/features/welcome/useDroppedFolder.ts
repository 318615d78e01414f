/** A folder that is dropped onto the window, to be opened. */
import { t } from "@lingui/core/macro";
import { useEffect, useState } from "react";
import { useLatest } from "../../components/latest";
import { useArki } from "../../platform/context";
import { asCommandError, windowError } from "../../platform/platform";
import type { CommandError, DragStep } from "../../protocol/generated";

export function useDroppedFolder(onOpen: (path: string) => void) {
  const { platform } = useArki();
  const [isOver, setOver] = useState(false);
  const [error, setError] = useState<CommandError | null>(null);
  const open = useLatest(onOpen);
  useEffect(() => {
    let isHeard = true;
    const dropped = async () => {
      setError(null);
      try {
        const path = await platform.call("take_dropped_folder", {});
        if (!isHeard) return;
        if (path !== null) return open.current(path);
        const message = t`What you dropped isn't a folder.`;
        setError(windowError(message, t`Drop the folder of your project.`));
      } catch (thrown) {
        setError(asCommandError(thrown));
      }
    };
    const listening = platform.onDrag((step: DragStep) => {
      if (!isHeard || !platform.can("take_dropped_folder")) return;
      setOver(step === "over");
      if (step === "dropped") void dropped();
    });
    return () => {
      isHeard = false;
      void listening.then((stop) => stop());
    };
  }, [platform, open]);
  return { isOver, error };
}
