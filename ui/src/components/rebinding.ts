/** Changing the shortcut of a command: the next keys that are pressed, what stands against them, and what was said of it. */
import { t } from "@lingui/core/macro";
import { useContext, useEffect, useState } from "react";
import {
  type Binding,
  holderOf,
  isUsable,
  type Refusal,
  refusalOf,
  ShortcutsContext,
  useCommandKeys,
  usualKeys,
} from "./command_keys";
import { localKeys } from "./keymap_keys";
import { useLatest } from "./latest";
import { isMac, pressedShortcut, showShortcut } from "./shortcuts";

/** The command whose keys are awaited, or whose keys belong to another command that could give them up. */
type Turn = { id: string; words: string; offer: { shortcut: string; from: string } | null };

export type Rebinding = ReturnType<typeof useRebinding>;

export function useRebinding() {
  const { bindings, choices, choose } = useContext(ShortcutsContext);
  const keys = useCommandKeys();
  const [turn, setTurn] = useState<Turn | null>(null);
  const [said, setSaid] = useState("");
  const titleOf = (id: string) => bindings.find((one) => one.id === id)?.title ?? id;

  const say = (next: Turn | null, words: string) => {
    setTurn(next && { ...next, words });
    setSaid(words);
  };
  /** `undefined`: its usual ones again. */
  const assign = (id: string, shortcut: string | null | undefined, from?: string) => {
    const { [id]: _, ...rest } = choices;
    const isUsual = shortcut === undefined || shortcut === (usualKeys[id] ?? null);
    choose({ ...rest, ...(from ? { [from]: null } : {}), ...(isUsual ? {} : { [id]: shortcut }) });
    const now = shortcut === undefined ? usualKeys[id] : shortcut;
    say(null, now ? `${titleOf(id)}: ${showShortcut(now)}` : t`${titleOf(id)} has no shortcut now.`);
  };
  /** Unless another command has them: then it is asked for them. */
  const propose = (id: string, shortcut: string, wanted: string | undefined) => {
    const from = holderOf(keys, shortcut, id);
    if (from === null) return assign(id, wanted);
    const words = t`${showShortcut(shortcut)} already belongs to: ${titleOf(from)}`;
    say({ id, words, offer: { shortcut, from } }, words);
  };
  const hear = (id: string, event: KeyboardEvent) => {
    const bare = !event.ctrlKey && !event.metaKey && !event.altKey && !event.shiftKey;
    if (bare && event.key === "Escape") return say(null, t`Nothing was changed.`);
    if (bare && (event.key === "Backspace" || event.key === "Delete")) return assign(id, null);
    const shortcut = pressedShortcut(event);
    if (shortcut === null) return;
    const refusal = isUsable(id, shortcut) ? null : refusalOf(shortcut);
    if (refusal === null) return propose(id, shortcut, shortcut);
    const words = refusedWords(refusal, shortcut);
    say({ id, words, offer: null }, words);
  };
  const awaited = turn?.offer === null ? turn.id : null;
  useAwaited(awaited, hear);

  return {
    /** What is being said of this command, if it is its turn. */
    turnOf: ({ id }: Binding) => (turn?.id === id ? turn : null),
    isAwaited: ({ id }: Binding) => awaited === id,
    isOwn: ({ id }: Binding) => id in choices,
    keys,
    said,
    change: ({ id, title }: Binding) => {
      if (awaited === id) return setTurn(null);
      const words = t`Press the new keys. Escape cancels, Backspace removes the shortcut.`;
      setTurn({ id, words, offer: null });
      setSaid(`${title}: ${words}`);
    },
    cancel: ({ id }: Binding) => setTurn((now) => (now?.id === id && now.offer === null ? null : now)),
    take: ({ id }: Binding) => turn?.offer && assign(id, turn.offer.shortcut, turn.offer.from),
    keep: () => say(null, t`Nothing was changed.`),
    reset: ({ id }: Binding) => {
      const usual = usualKeys[id];
      if (usual === undefined) assign(id, undefined);
      else propose(id, usual, undefined);
    },
    resetAll: () => {
      choose({});
      say(null, t`All shortcuts are as they were at first.`);
    },
  };
}

/** While keys are awaited, nothing else hears them: neither the dialog's Escape nor the commands. */
function useAwaited(id: string | null, hear: (id: string, event: KeyboardEvent) => void) {
  const latest = useLatest(hear);
  useEffect(() => {
    if (id === null) return;
    const onKey = (event: KeyboardEvent) => {
      event.preventDefault();
      event.stopImmediatePropagation();
      if (event.type === "keydown" && !event.repeat && !event.isComposing) latest.current(id, event);
    };
    window.addEventListener("keydown", onKey, true);
    window.addEventListener("keyup", onKey, true);
    return () => {
      window.removeEventListener("keydown", onKey, true);
      window.removeEventListener("keyup", onKey, true);
    };
  }, [id, latest]);
}

function refusedWords(refusal: Refusal, shortcut: string): string {
  const shown = showShortcut(shortcut);
  switch (refusal) {
    case "types":
      return isMac
        ? t`${shown} types text. Add ${showShortcut("Mod")}, or use a function key.`
        : t`${shown} types text. Add ${showShortcut("Mod")} or Alt, or use a function key.`;
    case "edits":
      return t`${shown} is needed to write, move and decide.`;
    case "place": {
      const place = localKeys().find((one) => one.keys.split(" ").includes(shortcut));
      return t`${shown} already belongs to: ${place?.section ?? ""}, ${place?.title ?? ""}`;
    }
    case "system":
      return t`${shown} belongs to the system.`;
  }
}
