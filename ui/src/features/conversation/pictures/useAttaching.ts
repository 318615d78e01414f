/** How pictures and files come to the message box: pasted, dropped onto the window, or chosen in the system's dialog. */
import { type ClipboardEvent, useEffect, useState } from "react";
import { useLatest } from "../../../components/latest";
import { useArki } from "../../../platform/context";
import { asCommandError } from "../../../platform/platform";
import type { Store } from "../../../platform/stores/store";
import type { AttachedFile, DragStep } from "../../../protocol/generated";
import { type DraftPictures, type DroppedFolder, putFolder } from "./draft_pictures";

type Given = {
  draft: Store<DraftPictures>;
  /** Nothing can be sent here, so that nothing is attached either. */
  isBlocked: boolean;
  /** A session is shown, which another folder would take away: one is asked before it is opened. */
  isSession: boolean;
  onOpenFolder: (path: string) => void;
  /** Writes the mentions of files that are no pictures into the box. */
  onMention: (mentions: readonly string[]) => void;
};

export function useAttaching({ draft, isBlocked, isSession, onOpenFolder, onMention }: Given) {
  const { platform } = useArki();
  /** Answers whether there was anything. */
  const attach = async (command: "choose_files" | "take_dropped" | "take_pasted") => {
    try {
      const files = await platform.call(command, {});
      if (files.length === 0) return false;
      const { attachFiles } = await import("./attach");
      const folder = files.find(isFolder);
      if (folder) offer(folder);
      const mentions = await attachFiles(platform, draft, files);
      if (mentions.length > 0) onMention(mentions);
    } catch (thrown) {
      const { message, hint } = asCommandError(thrown);
      draft.update((now) => ({ ...now, refused: [...now.refused, `${message} ${hint}`.trim()] }));
    }
    return true;
  };
  const offer = (folder: DroppedFolder) => {
    if (!isSession && folder.mention === null) onOpenFolder(folder.path);
    else putFolder(draft, folder);
  };
  /** Where nothing can be said, a folder can still be opened. */
  const openDropped = async () => {
    const path = await platform.call("take_dropped_folder", {}).catch(() => null);
    if (path !== null) onOpenFolder(path);
  };
  const isOver = useDrag(() => void (isBlocked ? openDropped() : attach("take_dropped")));
  const pasteFiles = async (files: readonly File[]) => {
    // Of pictures, the page has all there is to know. Of other files it isn't told where they lie.
    const isKnown = files.length > 0 && files.every((file) => file.type.startsWith("image/"));
    if (!isKnown && (await attach("take_pasted"))) return;
    if (files.length === 0) return;
    const { attachPasted } = await import("./attach");
    await attachPasted(platform, draft, files);
  };
  const onPaste = (event: ClipboardEvent) => {
    // Programs put a picture of text beside the text.
    if (event.clipboardData.getData("text/plain") !== "") return;
    const files = [...event.clipboardData.files];
    if (files.length > 0) event.preventDefault();
    void pasteFiles(files);
  };
  return { isOver, onPaste, choose: () => void attach("choose_files") };
}

const isFolder = (file: AttachedFile) => file.type === "folder";

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
