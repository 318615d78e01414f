import { t } from "@lingui/core/macro";
import { useEffect, useMemo, useState } from "react";
import { useArki } from "../../../platform/context";
import type { Shown, SlashCommandEntry } from "../../../protocol/generated";
import { fitting } from "./matching";
import type { MenuEntry } from "./menu";
import type { Trigger } from "./trigger";

/** They are about a session. */
const ofSession: ReadonlySet<string> = new Set(["compact", "rename", "tools", "undo", "usage"]);

/** What can be chosen, best first, and which words it answers. */
export function useEntries(of: Shown, trigger: Trigger): { entries: readonly MenuEntry[]; of: string } {
  const commands = useCommandList();
  const { words } = trigger;
  const isNew = of.sessionId === null;
  const entries = useMemo(() => {
    const there = commands.filter((one) => !isNew || one.beginsRun || !ofSession.has(one.name));
    return fitting(there, words, (command) => command.name).map(commandEntry);
  }, [commands, words, isNew]);
  return { entries, of: words };
}

/** Listed anew each time the menu opens: the user's own may have changed. What can't be listed is no reason to stop writing. */
function useCommandList(): readonly SlashCommandEntry[] {
  const { platform } = useArki();
  const [commands, setCommands] = useState<readonly SlashCommandEntry[]>([]);
  useEffect(() => {
    let isOpen = true;
    platform.call("list_commands", {}).then(
      (listed) => isOpen && setCommands(listed.filter((one) => one.name !== "help")),
      () => undefined,
    );
    return () => {
      isOpen = false;
    };
  }, [platform]);
  return commands;
}

function commandEntry({ name, description, arguments: takes, source }: SlashCommandEntry): MenuEntry {
  const needsWords = takes !== "" && !takes.startsWith("[");
  return {
    key: name,
    label: `/${name}`,
    hint: takes,
    detail: source === "built in" ? description : t`${description} · ${source}`,
    insert: `/${name}`,
    sends: !needsWords,
  };
}
