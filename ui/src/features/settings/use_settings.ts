/** The configuration as the engine lists it, and changes of the user's own file. */
import { useCallback } from "react";
import { useArki } from "../../platform/context";
import { asCommandError, type Platform } from "../../platform/platform";
import type { CommandError, SettingChange, SettingEntry } from "../../protocol/generated";
import { useListed } from "./listed";

/** Makes all changes or none. Returns why they can't be made. */
export type Change = (changes: SettingChange[]) => Promise<CommandError | null>;

/** `folder`: the one whose configuration counts too; null where none is open. */
export function useSettings(folder: string | null) {
  const ask = useCallback((platform: Platform) => platform.call("list_settings", { folder }), [folder]);
  const { listed, error, reload } = useListed<"list_settings">(ask);
  const change = useChange(reload);
  return { entries: listed, error, change, reload };
}

/** What is changed shows at once as the engine has it then, also where somebody else has changed it meanwhile. */
export function useChange(reload: () => Promise<void>): Change {
  const arki = useArki();
  return async (changes) => {
    let failure: CommandError | null = null;
    try {
      await arki.platform.call("change_settings", { changes });
    } catch (thrown) {
      failure = asCommandError(thrown);
      if (failure.code !== "CONFIG_CHANGED") return failure;
    }
    await Promise.all([reload(), arki.refreshApp(), arki.refreshCatalogue()]);
    return failure;
  };
}

/** The change of what is shown. `text` is JSON, or a text as it stands; null removes it. */
export function changeOf(entry: SettingEntry, text: string | null): SettingChange {
  return { key: entry.key, text, was: formerly(entry) };
}

/** Of a secret and of what stands below, nobody knows it here. */
function formerly({ kind, origin, value }: SettingEntry): string | null {
  if (kind === "secret" || kind === "group" || kind === "map") return null;
  if (origin === "project") return null;
  return origin === "user" ? JSON.stringify(value) : "null";
}

/** The key of something in the object at `key`: a name with a dot in it stands in quotes. */
export function keyBelow(key: string, name: string): string {
  return `${key}.${/[.["\]\\]/.test(name) ? JSON.stringify(name) : name}`;
}

/** Whether it stands in the list or the object at `key`, and not deeper. */
export function standsIn(entry: SettingEntry, key: string): boolean {
  if (!entry.key.startsWith(key)) return false;
  const rest = entry.key.slice(key.length);
  return /^\[\d+\]$/.test(rest) || /^\.("(?:[^"\\]|\\.)*"|[^."]+)$/.test(rest);
}
