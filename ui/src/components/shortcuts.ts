/** Shortcuts as data: "Mod+K", "Shift+Enter", "?", "Mod+Plus". One parser for matching, one for showing. */
import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";

export const isMac = typeof navigator !== "undefined" && /Mac/.test(navigator.platform);

const macSigns: Record<string, string> = { Mod: "⌘", Alt: "⌥", Shift: "⇧", Enter: "⏎" };

/** As they stand on the keys. */
const names: Readonly<Record<string, MessageDescriptor>> = {
  Mod: msg`Ctrl`,
  Shift: msg`Shift`,
  Enter: msg`Enter`,
  Escape: msg`Escape`,
  Delete: msg`Delete`,
  Space: msg`Space`,
};

const arrows: Readonly<Record<string, string>> = { ArrowLeft: "←", ArrowRight: "→" };

/** Where the key has no sign of its own in `KeyboardEvent.key`. */
const written: Readonly<Record<string, string>> = { " ": "Space", "+": "Plus" };
const modifiers = /^(Alt(Graph)?|CapsLock|Control|Dead|Fn|Meta|NumLock|Process|Shift|Unidentified)$/;

/** Where "+" needs Shift, people press "=". */
const plus: ReadonlySet<string> = new Set(["+", "="]);

export function showShortcut(shortcut: string): string {
  const parts = shortcut.split("+").map((part) => (part === "Plus" ? "+" : part));
  if (isMac) return parts.map((part) => macSigns[part] ?? part).join("");
  return parts.map(nameOf).join("+");
}

function nameOf(key: string): string {
  const name = names[key];
  return name ? i18n._(name) : (arrows[key] ?? key);
}

type Pressed = Pick<KeyboardEvent, "key" | "metaKey" | "ctrlKey" | "altKey" | "shiftKey">;

/** Whether it says with Shift which key it is, as letters, digits and named keys do, but not "?". */
const countsShift = (key: string) => /^[a-z0-9]$/i.test(key) || key.length > 1;

/** What was pressed, so that `matches` finds it again. Null while only modifiers are down. */
export function pressedShortcut(event: Pressed & Pick<KeyboardEvent, "getModifierState">): string | null {
  if (modifiers.test(event.key)) return null;
  const upper = event.key.toUpperCase();
  const key = written[event.key] ?? (event.key.length === 1 && upper.length === 1 ? upper : event.key);
  // On a layout that has it, this is how a sign is typed.
  if (event.getModifierState("AltGraph")) return key;
  const mod = isMac ? event.metaKey : event.ctrlKey;
  const foreign = isMac ? event.ctrlKey : event.metaKey;
  const parts = [
    foreign && (isMac ? "Ctrl" : "Meta"),
    mod && "Mod",
    event.altKey && "Alt",
    event.shiftKey && countsShift(key) && key !== "Plus" && "Shift",
    mod && key === "=" ? "Plus" : key,
  ];
  return parts.filter(Boolean).join("+");
}

export function matches(event: Pressed, shortcut: string): boolean {
  const parts = shortcut.split("+");
  const key = parts.at(-1) ?? "";
  const mod = isMac ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey;
  const anyMod = event.metaKey || event.ctrlKey;
  if (parts.includes("Mod") ? !mod : anyMod) return false;
  if (parts.includes("Alt") !== event.altKey) return false;
  if (key === "Plus") return plus.has(event.key);
  // "?" and the like already say which key they are; Shift is part of how they are typed.
  if (countsShift(key) && parts.includes("Shift") !== event.shiftKey) return false;
  return (written[event.key] ?? event.key).toLowerCase() === key.toLowerCase();
}

/** Safari-based webviews report the Enter that ends a composition only by this key code. */
const composingKeyCode = 229;

type Typed = Pick<KeyboardEvent, "key" | "shiftKey" | "ctrlKey" | "metaKey" | "isComposing" | "keyCode">;

/** Whether an input method is at work on it, and keeps its keys. */
export function composes(event: Pick<KeyboardEvent, "isComposing" | "keyCode">): boolean {
  return event.isComposing || event.keyCode === composingKeyCode;
}

/** Escape closes what is being typed into, and nothing around it. */
export function cancelOnEscape(onCancel: () => void) {
  return (event: React.KeyboardEvent) => {
    if (event.key !== "Escape" || composes(event.nativeEvent)) return;
    event.preventDefault();
    event.stopPropagation();
    onCancel();
  };
}

/** Enter sends, except while an input method is composing; with Shift it makes a line. */
export function sends(event: Typed): boolean {
  if (event.key !== "Enter" || event.shiftKey || event.ctrlKey || event.metaKey) return false;
  return !composes(event);
}

export function inTextField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.matches("input, textarea, select");
}
