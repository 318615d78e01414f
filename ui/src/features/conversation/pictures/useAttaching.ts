/** How pictures and files come to the message box: pasted, dropped onto the window, or chosen in the system's dialog. */
import { type ClipboardEvent, useEffect, useState } from "react";
import { useLatest } from "../../../components/latest";
import { useArki } from "../../../platform/context";
import type { DragStep } from "../../../protocol/generated";
import type { AttachTo } from "./attach";

/** What is done with them is fetched with the first one. */
export function useAttaching(given: Omit<AttachTo, "platform">) {
  const { platform } = useArki();
  const attach = (act: (how: typeof import("./attach"), to: AttachTo) => Promise<unknown>) =>
    void import("./attach").then((how) => act(how, { ...given, platform }));
  const isOver = useDrag(() => attach((how, to) => how.takeDropped(to)));
  const onPaste = (event: ClipboardEvent) => {
    // Programs put a picture of text beside the text.
    if (event.clipboardData.getData("text/plain") !== "") return;
    const files = [...event.clipboardData.files];
    if (files.length > 0) event.preventDefault();
    attach((how, to) => how.takePasted(to, files));
  };
  return { isOver, onPaste, choose: () => attach((how, to) => how.chooseFiles(to)) };
}

/** Whether files are dragged over the window now. */
function useDrag(onDrop: () => void): boolean {
  const { platform } = useArki();
  const [isOver, setOver] = useState(false);
  const drop = useLatest(onDrop);
  useEffect(() => {
    let isHeard = true;
    const hear = (step: DragStep) => {
      if (!isHeard) return;
      setOver(step === "over");
      if (step === "dropped") drop.current();
    };
    const listening = platform.onDrag(hear);
    return () => {
      isHeard = false;
      setOver(false);
      void listening.then((stop) => stop());
    };
  }, [platform, drop]);
  return isOver;
}
