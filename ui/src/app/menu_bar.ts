/** The menu bar of macOS: which command stands in which menu. The system's own items come from the shell. Pure. */
import { t } from "@lingui/core/macro";
import type { CommandKeys } from "../components/command_keys";
import type { BarItem, MenuBar, MenuPlace, SystemWords } from "../protocol/generated";
import { type Draft, exportIds, recentId } from "./commands";

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
