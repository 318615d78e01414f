import { describe, expect, it } from "vitest";
import { holderOf, keysOf, refusalOf, usualKeys } from "./command_keys";
import { localKeys } from "./keymap_keys";
import { matches, pressedShortcut } from "./shortcuts";

const ids = ["new", "message", "pause", "resume", "keys", "replay"];

describe("the keys of the commands", () => {
  it("are the usual ones, and what was chosen instead", () => {
    expect(keysOf(ids, {})).toEqual({
      new: "Mod+N",
      message: "Mod+L",
      pause: "Mod+Shift+P",
      resume: "Mod+Shift+P",
      keys: "?",
    });
    expect(keysOf(ids, { new: "F9", message: null, replay: "Alt+R" })).toMatchObject({
      new: "F9",
      replay: "Alt+R",
    });
    expect(keysOf(ids, { message: null }).message).toBeUndefined();
  });

  it("ignore what can't be, and commands that there aren't", () => {
    const choices = { new: "Mod+C", message: "gibberish+", pause: "x", unknown: "Mod+N" };
    expect(keysOf(ids, choices)).toEqual(keysOf(ids, {}));
  });

  it("go to one command alone: what was chosen goes before what is usual", () => {
    expect(keysOf(ids, { replay: "Mod+N" })).toMatchObject({ replay: "Mod+N" });
    expect(keysOf(ids, { replay: "Mod+N" }).new).toBeUndefined();
    const twice = keysOf(ids, { new: "F9", replay: "F9" });
    expect([twice.new, twice.replay]).toEqual(["F9", undefined]);
  });

  it("may be shared by two that are never there at once", () => {
    expect(holderOf(usualKeys, "Mod+Shift+P", "pause")).toBeNull();
    expect(holderOf(usualKeys, "Mod+Shift+P", "new")).toBe("pause");
    expect(keysOf(ids, { pause: "F9", resume: "F9" })).toMatchObject({ pause: "F9", resume: "F9" });
  });
});

describe("refused are", () => {
  it.each([
    ["what types", "types", ["K", "?", "Shift+K", "Space", "Plus", "Ä"]],
    ["what text and decisions need", "edits", ["Enter", "Tab", "Mod+Enter", "Alt+ArrowUp", "Mod+Backspace"]],
    ["the clipboard and undo", "edits", ["Mod+C", "Mod+V", "Mod+X", "Mod+A", "Mod+Z", "Mod+Shift+Z"]],
    ["what the system has", "system", ["Alt+F4", "Mod+Q", "Meta+K", "Mod+k", "Mod+Shift+.", ""]],
  ])("%s", (_, why, shortcuts) => {
    expect(shortcuts.map((one) => [one, refusalOf(one)])).toEqual(shortcuts.map((one) => [one, why]));
  });

  it("not the others, nor any usual ones but the map's sign and what also decides", () => {
    for (const shortcut of ["Mod+J", "F9", "Shift+F9", "Alt+K", "Mod+Shift+K", "Mod+;"])
      expect([shortcut, refusalOf(shortcut)]).toEqual([shortcut, null]);
    const usual = Object.values(usualKeys).filter((one) => refusalOf(one) !== null);
    expect(usual).toEqual(["Mod+Shift+Enter", "?", "Alt+ArrowLeft", "Alt+ArrowRight"]);
  });

  it("all that one place listens to", () => {
    const arrows: Record<string, string> = { "↑": "ArrowUp", "↓": "ArrowDown" };
    const keys = localKeys().flatMap((one) => one.keys.split(" "));
    const free = keys
      .map((one) => one.replace(/[↑↓]/, (sign) => arrows[sign] ?? sign))
      .filter((one) => refusalOf(one) === null);
    // A session's name is changed with it in the list as everywhere.
    expect(free).toEqual(["F2"]);
  });
});

describe("what is pressed", () => {
  const press = (
    key: string,
    down: Partial<Record<"ctrl" | "alt" | "shift" | "meta" | "graph", true>> = {},
  ) => ({
    key,
    ctrlKey: down.ctrl ?? false,
    altKey: down.alt ?? false,
    shiftKey: down.shift ?? false,
    metaKey: down.meta ?? false,
    getModifierState: (name: string) => name === "AltGraph" && down.graph === true,
  });

  it.each([
    ["Mod+K", press("k", { ctrl: true })],
    ["Mod+Shift+K", press("K", { ctrl: true, shift: true })],
    ["Mod+?", press("?", { ctrl: true, shift: true })],
    ["Mod+Plus", press("+", { ctrl: true, shift: true })],
    ["Mod+Plus", press("=", { ctrl: true })],
    ["Alt+Space", press(" ", { alt: true })],
    ["Shift+F9", press("F9", { shift: true })],
    ["Mod+ß", press("ß", { ctrl: true })],
    ["Mod+Alt+1", press("1", { ctrl: true, alt: true })],
  ])("is %s, and heard as such", (shortcut, event) => {
    expect(pressedShortcut(event)).toBe(shortcut);
    expect(matches(event, shortcut)).toBe(true);
  });

  it("is nothing yet while only modifiers are down, and a sign where AltGr makes one", () => {
    expect(pressedShortcut(press("Control", { ctrl: true }))).toBeNull();
    expect(pressedShortcut(press("@", { ctrl: true, alt: true, graph: true }))).toBe("@");
    expect(pressedShortcut(press("k", { meta: true }))).toBe("Meta+K");
  });
});
