/** The configuration as the engine lists it, and changes of the user's own file. */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { useAnswer } from "../../components/useAnswer";
import { useArki } from "../../platform/context";
import { failureOf } from "../../platform/platform";
import type { CommandError, SettingChange, SettingEntry, SettingOrigin } from "../../protocol/generated";

/** Makes all changes or none. Returns why they can't be made. */
export type Change = (changes: SettingChange[]) => Promise<CommandError | null>;

/** `folder`: the one whose configuration counts too; null where none is open. */
export function useSettings(folder: string | null) {
  const { answer: entries, error, isAnswered, reload } = useAnswer("list_settings", { folder });
  return { entries, error, isAnswered, change: useChange(reload), reload };
}

/** What is changed shows at once as the engine has it then, also where somebody else has changed it meanwhile. */
export function useChange(reload: () => Promise<unknown>): Change {
  const arki = useArki();
  return async (changes) => {
    const failure = await failureOf(arki.platform.call("change_settings", { changes }));
    if (failure !== null && failure.code !== "CONFIG_CHANGED") return failure;
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

/** The words for where a value comes from. */
export const origins: Readonly<Record<SettingOrigin, MessageDescriptor>> = {
  default: msg`Default`,
  user: msg`Your file`,
  project: msg`This folder`,
};
