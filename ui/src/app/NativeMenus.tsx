/** Tells the desktop what to show outside of the page: its words in the window's language and, on macOS, the menu bar. */
import { useEffect } from "react";
import type { CommandKeys } from "../components/command_keys";
import { isMac } from "../components/shortcuts";
import { useArki } from "../platform/context";
import type { MenuBar } from "../protocol/generated";
import type { Draft } from "./commands";
import { desktopWords } from "./desktop_words";
import { useLocale } from "./locale";
import { menuBarOf } from "./menu_bar";

type Props = {
  drafts: readonly Draft[];
  keys: CommandKeys;
  /** A dialog is open, and keeps the keys to itself. */
  isBusy: boolean;
  /** The commands whose keys the menu bar listens to. */
  onHeard: (ids: readonly string[]) => void;
};

export function NativeMenus(props: Props) {
  const { platform } = useArki();
  const locale = useLocale();
  // biome-ignore lint/correctness/useExhaustiveDependencies: other words with another language
  useEffect(() => {
    // Where it fails, the desktop speaks English.
    void platform.call("set_desktop_words", { words: desktopWords() }).catch(() => undefined);
  }, [platform, locale]);
  return isMac ? <Bar {...props} /> : null;
}

/** There is one menu bar for all windows: it shows the commands of the one that has the focus. */
function Bar({ drafts, keys, isBusy, onHeard }: Props) {
  const { platform } = useArki();
  const bar = JSON.stringify(menuBarOf(drafts, keys, isBusy));
  useEffect(() => {
    let over = false;
    const show = async () => {
      if (!document.hasFocus()) return;
      const shown: MenuBar = JSON.parse(bar);
      // Without a menu the page hears its keys itself.
      const heard = await platform.call("set_menu_bar", { bar: shown }).catch(() => []);
      if (!over) onHeard(heard);
    };
    const onFocus = () => void show();
    onFocus();
    window.addEventListener("focus", onFocus);
    return () => {
      over = true;
      window.removeEventListener("focus", onFocus);
    };
  }, [platform, bar, onHeard]);
  return null;
}
