import type { LocalKey } from "../../components/commands";

export const localKeys: LocalKey[] = [
  { section: "Message", keys: "Enter", title: "Send" },
  { section: "Message", keys: "Alt+Enter", title: "Steer the run that works" },
  { section: "Message", keys: "Shift+Enter", title: "New line" },
  { section: "Queued messages", keys: "Alt+↑ Alt+↓", title: "Move a queued message" },
  { section: "Queued messages", keys: "Enter", title: "Edit it" },
  { section: "Queued messages", keys: "Delete", title: "Remove it" },
  { section: "Review", keys: "J ↓", title: "Next hunk" },
  { section: "Review", keys: "K ↑", title: "Previous hunk" },
  { section: "Review", keys: "A", title: "Accept hunk" },
  { section: "Review", keys: "R", title: "Reject hunk" },
  { section: "Review", keys: "E", title: "Edit hunk" },
  { section: "Review", keys: "U", title: "Undo a decision on a hunk" },
  { section: "Review", keys: "Mod+Enter", title: "Accept all, approve, or save an edit" },
  { section: "Review", keys: "Mod+Shift+Enter", title: "Approve for this session" },
  { section: "Review", keys: "Mod+Alt+Enter", title: "Always approve" },
  { section: "Who wrote this", keys: "↑ ↓", title: "Next or previous line" },
  { section: "Who wrote this", keys: "J K", title: "Next or previous change" },
  { section: "Search", keys: "Alt+F", title: "Only this folder" },
  { section: "Lists", keys: "↑ ↓", title: "Move in the session list" },
  { section: "Lists", keys: "Escape", title: "One step out" },
];
