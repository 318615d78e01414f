import { t } from "@lingui/core/macro";
import { useEffect, useMemo, useState } from "react";
import { useArki } from "../../../platform/context";
import type { MentionEntry, Shown, SlashCommandEntry } from "../../../protocol/generated";
import { fitting } from "./matching";
import type { MenuEntry } from "./menu";
import type { Trigger } from "./trigger";

/** They are about a session. */
const ofSession: ReadonlySet<string> = new Set(["compact", "rename", "tools", "undo", "usage"]);

type Found = { entries: readonly MenuEntry[]; of: string };

/** What can be chosen, best first, and which words it answers. */
export function useEntries(of: Shown, trigger: Trigger): Found {
  const commands = useCommandList(trigger.kind === "command");
  const mentions = useMentionList(trigger);
  const { words } = trigger;
  const isNew = of.sessionId === null;
  const fits = useMemo(() => {
    const there = commands.filter((one) => !isNew || one.beginsRun || !ofSession.has(one.name));
    return fitting(there, words, (command) => command.name).map(commandEntry);
  }, [commands, words, isNew]);
  return trigger.kind === "mention" ? mentions : { entries: fits, of: words };
}

const nothing: Found = { entries: [], of: "" };

/** Ranked by the engine at each letter; what was found before stays until the next answer. */
function useMentionList({ kind, words }: Trigger): Found {
  const { platform } = useArki();
  const [found, setFound] = useState(nothing);
  const wanted = kind === "mention";
  useEffect(() => {
    if (!wanted) return setFound(nothing);
    let current = true;
    platform.call("list_mentions", { typed: words }).then(
      (listed) => current && setFound({ entries: listed.map(mentionEntry), of: words }),
      () => current && setFound(nothing),
    );
    return () => {
      current = false;
    };
  }, [platform, wanted, words]);
  return found;
}

const details: Partial<Record<MentionEntry["kind"], () => string>> = {
  diff: () => t`what has changed since the last commit`,
  codebase: () => t`the passages that fit your words`,
};

function mentionEntry({ mention, kind, name }: MentionEntry): MenuEntry {
  // The name first, then where it is.
  const path = name.replace(/\/$/, "");
  const cut = kind === "session" ? -1 : path.lastIndexOf("/");
  return {
    key: mention,
    icon: kind,
    label: kind === "folder" ? `${path.slice(cut + 1)}/` : path.slice(cut + 1),
    hint: "",
    detail: details[kind]?.() ?? path.slice(0, Math.max(0, cut)),
    insert: mention,
    sends: false,
    leadsOn: kind === "folder",
  };
}

/** Listed anew each time the menu opens: the user's own may have changed. What can't be listed is no reason to stop writing. */
function useCommandList(wanted: boolean): readonly SlashCommandEntry[] {
  const { platform } = useArki();
  const [commands, setCommands] = useState<readonly SlashCommandEntry[]>([]);
  useEffect(() => {
    if (!wanted) return;
    let isOpen = true;
    platform.call("list_commands", {}).then(
      (listed) => isOpen && setCommands(listed.filter((one) => one.name !== "help")),
      () => undefined,
    );
    return () => {
      isOpen = false;
    };
  }, [platform, wanted]);
  return commands;
}

function commandEntry({ name, description, arguments: takes, source }: SlashCommandEntry): MenuEntry {
  const needsWords = takes !== "" && !takes.startsWith("[");
  return {
    key: name,
    icon: null,
    label: `/${name}`,
    hint: takes,
    detail: source === "built in" ? description : t`${description} · ${source}`,
    insert: `/${name}`,
    sends: !needsWords,
    leadsOn: false,
  };
}
