import { t } from "@lingui/core/macro";
import type { LocalKey } from "../../components/commands";

export const localKeys = (): LocalKey[] => [
  { section: t`Message`, keys: "Enter", title: t`Send` },
  { section: t`Message`, keys: "Alt+Enter", title: t`Steer the current run` },
  { section: t`Message`, keys: "Shift+Enter", title: t`New line` },
  { section: t`Message`, keys: "Mod+Shift+A", title: t`Attach pictures` },
  { section: t`Queued messages`, keys: "Alt+↑ Alt+↓", title: t`Move a queued message` },
  { section: t`Queued messages`, keys: "Enter", title: t`Edit a queued message` },
  { section: t`Queued messages`, keys: "Delete", title: t`Remove a queued message` },
  { section: t`Review`, keys: "J ↓", title: t`Next hunk` },
  { section: t`Review`, keys: "K ↑", title: t`Previous hunk` },
  { section: t`Review`, keys: "A", title: t`Accept hunk` },
  { section: t`Review`, keys: "R", title: t`Reject hunk` },
  { section: t`Review`, keys: "E", title: t`Edit hunk` },
  { section: t`Review`, keys: "U", title: t`Undo the decision on a hunk` },
  { section: t`Review`, keys: "Mod+Enter", title: t`Accept all, approve, or save an edit` },
  { section: t`Review`, keys: "Mod+Shift+Enter", title: t`Approve for this session` },
  { section: t`Review`, keys: "Mod+Alt+Enter", title: t`Always approve` },
  { section: t`Who wrote this`, keys: "↑ ↓", title: t`Next or previous line` },
  { section: t`Who wrote this`, keys: "J K", title: t`Next or previous change` },
  { section: t`Search`, keys: "Alt+F", title: t`Only this folder` },
  { section: t`Find in session`, keys: "Enter ↑", title: t`Previous match` },
  { section: t`Find in session`, keys: "Shift+Enter ↓", title: t`Next match` },
  { section: t`Lists`, keys: "↑ ↓", title: t`Move in the session list` },
  { section: t`Lists`, keys: "F2", title: t`Rename the session` },
  { section: t`Lists`, keys: "Escape", title: t`Go one step back` },
];
