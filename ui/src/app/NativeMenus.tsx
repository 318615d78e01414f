/** Tells the desktop what to show outside of the page: its words in the window's language and, on macOS, the menu bar. */

import { t } from "@lingui/core/macro";
import { useEffect } from "react";
import type { CommandKeys } from "../components/command_keys";
import { isMac } from "../components/shortcuts";
import { useArki } from "../platform/context";
import type { BarItem, DesktopWords, MenuBar, MenuPlace, SystemWords } from "../protocol/generated";
import { type Draft, exportIds, recentId } from "./commands";
import { useLocale } from "./locale";

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

/** Every command but those of the models and of recent folders, by its id, in groups. */
const layout: readonly [MenuPlace, readonly (readonly string[])[]][] = [
  ["app", [["settings"]]],
  [
    "file",
    [
      ["new", "worktree", "window", "open"],
      ["apart", "link"],
      ["import", "import-claude_code", "import-codex", "import-opencode", ...exportIds],
      ["editor", "reveal", "terminal", "commit", "trust"],
    ],
  ],
  ["edit", [["find", "search"], ["message"]]],
  [
    "view",
    [
      ["back", "forward"],
      ["palette", "sidebar", "inspector", "filter"],
      ["changes", "review-mode", "timeline", "plan", "context", "processes"],
      ["inbox-list", "memory", "pipelines", "usage"],
      ["previous-message", "next-message"],
      ["zoom-in", "zoom-out", "zoom-usual"],
      ["light", "dark", "system"],
    ],
  ],
  [
    "session",
    [
      ["stop", "pause", "resume", "next", "inbox"],
      ["edit", "fork", "compact", "replay"],
      ["rename", "pin", "archive", "delete"],
      ["session-settings"],
      ["ask", "edits", "all", "only-plan"],
    ],
  ],
  ["window", []],
  ["help", [["keys"]]],
];

/** While a dialog is open, nothing can be chosen and no key is listened to. */
export function menuBarOf(drafts: readonly Draft[], keys: CommandKeys, isBusy: boolean): MenuBar {
  const titles = menuTitles();
  const item = (id: string): BarItem[] => {
    const draft = drafts.find((one) => one.id === id);
    if (!draft) return [];
    // Where a dialog follows, people see dots.
    const title = id === "settings" ? t`Settings…` : draft.title;
    return [{ id, title, keys: (!isBusy && keys[id]) || null, isEnabled: draft.run !== null && !isBusy }];
  };
  const recent = drafts.flatMap(({ id }) => (id.startsWith(recentId) ? [id] : []));
  const menus = layout.map(([place, groups]) => ({
    place,
    title: titles[place],
    groups: (place === "file" && recent.length > 0 ? groups.toSpliced(1, 0, recent) : groups).map((ids) =>
      ids.flatMap(item),
    ),
  }));
  return { menus, words: systemWords() };
}

const menuTitles = (): Record<MenuPlace, string> => ({
  app: "Arki",
  file: t`File`,
  edit: t`Edit`,
  view: t`View`,
  session: t`Session`,
  window: t`Window`,
  help: t`Help`,
});

/** As macOS has them in its own apps. */
const systemWords = (): SystemWords => ({
  about: t`About Arki`,
  services: t`Services`,
  hide: t`Hide Arki`,
  hideOthers: t`Hide others`,
  showAll: t`Show all`,
  quit: t`Quit Arki`,
  closeWindow: t`Close window`,
  undo: t`Undo`,
  redo: t`Redo`,
  cut: t`Cut`,
  copy: t`Copy`,
  paste: t`Paste`,
  selectAll: t`Select all`,
  fullScreen: t`Full screen`,
  minimize: t`Minimize`,
  zoom: t`Zoom`,
  bringAllToFront: t`Bring all to front`,
});

/** Arki puts in what they stand for. */
const [error, tool] = ["{error}", "{tool}"];

const desktopWords = (): DesktopWords => ({
  tray: {
    show: t`Show Arki`,
    newSession: t`New session`,
    inbox: t`Inbox`,
    quit: t`Quit`,
    pending: t`Pending decisions`,
    running: t`Active runs`,
  },
  notices: {
    done: t`Arki has finished.`,
    budgetExhausted: t`The run's budget is used up.`,
    failed: t`The run failed: ${error}`,
    permission: t`Arki needs your permission to use ${tool}.`,
    decision: t`Arki needs your decision.`,
    question: t`Arki has a question for you.`,
    open: t`Open`,
  },
  dialogs: {
    openFolder: t`Open folder`,
    attachFiles: t`Attach files`,
    importSessions: t`Import sessions`,
    exportedSessions: t`Exported sessions`,
    exportSession: t`Export session`,
    saveOutput: t`Save output`,
  },
});
