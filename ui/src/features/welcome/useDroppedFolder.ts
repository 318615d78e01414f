/** A folder that is dropped onto the window, to be opened. */
import { t } from "@lingui/core/macro";
import { useEffect, useState } from "react";
import { useLatest } from "../../components/latest";
import { useActs } from "../../components/useActs";
import { useArki } from "../../platform/context";
import { windowError } from "../../platform/platform";
import type { DragStep } from "../../protocol/generated";

export function useDroppedFolder(onOpen: (path: string) => void) {
  const { platform } = useArki();
  const [isOver, setOver] = useState(false);
  const { error, attempt } = useActs();
  const open = useLatest(onOpen);
  useEffect(() => {
    let isHeard = true;
    const dropped = () =>
      attempt(async () => {
        const path = await platform.call("take_dropped_folder", {});
        if (!isHeard) return;
        if (path !== null) return open.current(path);
        throw windowError(t`What you dropped isn't a folder.`, t`Drop the folder of your project.`);
      });
    const listening = platform.onDrag((step: DragStep) => {
      if (!isHeard || !platform.can("take_dropped_folder")) return;
      setOver(step === "over");
      if (step === "dropped") void dropped();
    });
    return () => {
      isHeard = false;
      void listening.then((stop) => stop());
    };
  }, [platform, open, attempt]);
  return { isOver, error };
}
