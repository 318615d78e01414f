/** How pictures come to the message box: pasted, dropped onto the window, or chosen in the system's dialog. */
import { type ClipboardEvent, useEffect, useState } from "react";
import { useLatest } from "../../../components/latest";
import { useArki } from "../../../platform/context";
import { asCommandError } from "../../../platform/platform";
import type { Store } from "../../../platform/stores/store";
import type { DragStep } from "../../../protocol/generated";
import type { DraftPictures } from "./draft_pictures";

type Given = {
  draft: Store<DraftPictures>;
  /** Nothing can be sent here, so that nothing is attached either. */
  isBlocked: boolean;
  /** Writes the mentions of files that are no pictures into the box. */
  onMention: (mentions: readonly string[]) => void;
};

export function useAttaching({ draft, isBlocked, onMention }: Given) {
  const { platform } = useArki();
  const attach = async (command: "choose_pictures" | "take_dropped" | "take_pasted") => {
    try {
      const files = await platform.call(command, {});
      if (files.length === 0) return;
      const { attachFiles } = await import("./attach");
      const mentions = await attachFiles(platform, draft, files);
      if (mentions.length > 0) onMention(mentions);
    } catch (thrown) {
      const { message, hint } = asCommandError(thrown);
      draft.update((now) => ({ ...now, refused: [...now.refused, `${message} ${hint}`.trim()] }));
    }
  };
  const isOver = useDrag(isBlocked, () => void attach("take_dropped"));
  const onPaste = (event: ClipboardEvent) => {
    // Programs put a picture of text beside the text.
    if (event.clipboardData.getData("text/plain") !== "") return;
    const files = [...event.clipboardData.files];
    if (files.length === 0) return void attach("take_pasted");
    event.preventDefault();
    void import("./attach").then(({ attachPasted }) => attachPasted(platform, draft, files));
  };
  return { isOver, onPaste, choose: () => void attach("choose_pictures") };
}

/** Whether files are dragged over the window now. */
function useDrag(isBlocked: boolean, onDrop: () => void): boolean {
  const { platform } = useArki();
  const [isOver, setOver] = useState(false);
  const drop = useLatest(onDrop);
  useEffect(() => {
    if (isBlocked) return;
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
  }, [platform, isBlocked, drop]);
  return isOver;
}
