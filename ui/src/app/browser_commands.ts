/** The commands of the palette in a browser: which of them are offered, and which only a browser has. */
import { t } from "@lingui/core/macro";
import { modeNeeds } from "../components/approval_modes";
import type { Needed } from "../components/can";
import { signOut } from "../platform/http/requests";
import type { Platform } from "../platform/platform";
import type { Draft } from "./commands";
import type { Offered } from "./use_commands";

/** What each asks of the engine. */
const needs: Readonly<Record<string, Needed | undefined>> = {
  worktree: "add_worktree",
  apart: "open_window",
  compact: "compact_session",
  fork: "fork_session",
  import: "import_sessions",
  rename: "rename_session",
  pin: "mark_session",
  archive: "mark_session",
  "session-settings": "configure_session",
  delete: "remove_session",
  commit: "send_message",
  editor: "open_in_editor",
  reveal: "show_in_folder",
  terminal: "open_terminal",
  trust: "trust_project",
  memory: "accept_memory",
  pipelines: "start_pipeline",
  window: "open_window",
  settings: "list_settings",
  all: modeNeeds("all"),
};

/** The agents' histories and the formats of an export have an id each. */
const needsOf = (id: string): Needed | undefined => {
  if (id.startsWith("import-")) return "import_history";
  if (id.startsWith("export ")) return "export_session";
  return Object.hasOwn(needs, id) ? needs[id] : undefined;
};

export const offeredBy = ({ can }: Platform): Offered => ({
  isOffered: (id) => {
    const needed = needsOf(id);
    return needed === undefined || can(needed);
  },
  ownDrafts: () => [{ id: "sign-out", section: t`Browser`, title: t`Sign out of this browser`, run: leave }],
});

/** The page begins anew, where it asks who is there. */
const leave: Draft["run"] = () => void signOut().finally(() => location.reload());
