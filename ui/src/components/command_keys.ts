/** Which keys run which command: the usual ones, or those that the user chose instead. Pure, but for the hooks. */
import { createContext, useContext } from "react";
import { isMac, showShortcut } from "./shortcuts";

/** As browsers have them on each system. */
const ofTheTrail = isMac
  ? { back: "Mod+[", forward: "Mod+]" }
  : { back: "Alt+ArrowLeft", forward: "Alt+ArrowRight" };

/** By the id of the command. */
export const usualKeys: Readonly<Record<string, string>> = {
  new: "Mod+N",
  message: "Mod+L",
  stop: "Mod+.",
  pause: "Mod+Shift+P",
  resume: "Mod+Shift+P",
  next: "Mod+Shift+Enter",
  edit: "Mod+E",
  inbox: "Mod+J",
  fork: "Mod+Shift+N",
  rename: "F2",
  find: "Mod+F",
  "session-settings": "Mod+Shift+S",
  open: "Mod+O",
  editor: "Mod+Shift+E",
  terminal: "Mod+Shift+T",
  "previous-message": "Mod+U",
  "next-message": "Mod+D",
  changes: "Mod+1",
  timeline: "Mod+2",
  plan: "Mod+3",
  context: "Mod+4",
  processes: "Mod+5",
  "review-mode": "Mod+Shift+R",
  "inbox-list": "Mod+Shift+J",
  filter: "Mod+Shift+L",
  sidebar: "Mod+B",
  inspector: "Mod+I",
  window: "Mod+Alt+N",
  "zoom-in": "Mod+Plus",
  "zoom-out": "Mod+-",
  "zoom-usual": "Mod+0",
  settings: "Mod+,",
  palette: "Mod+K",
  search: "Mod+Shift+F",
  keys: "?",
  ...ofTheTrail,
};

/** What the user chose by a command's id: its keys, or none at all. A command that is not in it has its usual ones. */
export type Choices = Readonly<Record<string, string | null>>;
export type CommandKeys = Readonly<Record<string, string>>;

/** Never both at once: they may have the same keys. */
const partners: readonly (readonly string[])[] = [["pause", "resume"]];

const together = (one: string, other: string) =>
  partners.some((pair) => pair.includes(one) && pair.includes(other));

/** The other command that has these keys. */
export function holderOf(keys: CommandKeys, shortcut: string, but: string): string | null {
  const held = ([id, its]: [string, string]) => its === shortcut && id !== but && !together(id, but);
  return Object.entries(keys).find(held)?.[0] ?? null;
}

/** The keys of these commands. What was chosen goes before what is usual; what can't be is left out. */
export function keysOf(ids: readonly string[], choices: Choices): CommandKeys {
  const keys: Record<string, string> = {};
  const give = (id: string, shortcut: string | null | undefined) => {
    if (shortcut && holderOf(keys, shortcut, id) === null) keys[id] = shortcut;
  };
  const isChosen = (id: string) => {
    const choice = choices[id];
    return choice !== undefined && (choice === null || isUsable(id, choice));
  };
  for (const id of ids) if (isChosen(id)) give(id, choices[id]);
  for (const id of ids) if (!isChosen(id)) give(id, usualKeys[id]);
  return keys;
}

/** Why keys can't run a command: they type, they are needed to edit and decide, one place or the system has them. */
export type Refusal = "types" | "edits" | "place" | "system";

const form = /^(Mod\+)?(Alt\+)?(Shift\+)?(F([1-9]|1\d|2[0-4])|\w+|.)$/u;
const functionKey = /^F\d+$/;
/** Those that are not listed move, write, decide or lead out, with and without others. */
const named = /^(F\d+|Plus|Space)$/;
const ofText = /^Mod\+(Shift\+)?[ACVXYZ]$/;
/** Attaching files, and searching one folder. */
const ofPlaces: ReadonlySet<string> = new Set(["Mod+Shift+A", "Alt+F"]);
const ofSystem = /^(Mod\+[HMQW]|Mod\+Space|Alt\+(F4|Space)|Shift\+F10)$/;

export function refusalOf(shortcut: string): Refusal | null {
  const [, mod, alt, shift, key = ""] = form.exec(shortcut) ?? [];
  const isNamed = key.length > 1;
  // "?" already says which key it is: with Shift it would never be heard.
  if (key === "" || (shift && !isNamed && !/[A-Z0-9]/.test(key)) || /^[a-z]$/.test(key)) return "system";
  if (isNamed && !named.test(key)) return "edits";
  const writes = mod === undefined && (alt === undefined || isMac);
  if (writes && !functionKey.test(key)) return "types";
  if (ofPlaces.has(shortcut)) return "place";
  if (ofText.test(shortcut)) return "edits";
  return ofSystem.test(shortcut) ? "system" : null;
}

/** Its usual keys may be what is refused otherwise, such as "?". */
export const isUsable = (id: string, shortcut: string) =>
  shortcut === usualKeys[id] || refusalOf(shortcut) === null;

/** A command with its keys, for the map: also one that can't be run right now. */
export type Binding = { id: string; section: string; title: string };

export type Shortcuts = {
  bindings: readonly Binding[];
  choices: Choices;
  choose: (choices: Choices) => void;
};

export const CommandKeysContext = createContext<CommandKeys>(usualKeys);
export const ShortcutsContext = createContext<Shortcuts>({
  bindings: [],
  choices: {},
  choose: () => undefined,
});

export const useCommandKeys = () => useContext(CommandKeysContext);

/** The keys of a command as they are now. */
export function useKeysOf(command: string | undefined): string | undefined {
  const keys = useCommandKeys();
  return command === undefined ? undefined : keys[command];
}

/** A tooltip: the words, and the keys behind them if there are any. */
export function withKeys(words: string, keys: string | undefined): string {
  return keys === undefined ? words : `${words} (${showShortcut(keys)})`.trim();
}
