/** The shortcuts of the commands, changed in the map. */
import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { createFake } from "../testing/fake";
import { renderOn } from "../testing/render";
import { App } from "./App";

async function open() {
  Object.assign(window, { innerWidth: 1440, innerHeight: 900 });
  return renderOn(createFake({}), <App />);
}

/** The map, opened by its own key. */
async function openMap() {
  act(() => (document.activeElement as HTMLElement).blur());
  await userEvent.keyboard("?");
  const map = await screen.findByRole("dialog", { name: "Keyboard" });
  const button = (name: string) => within(map).getByRole("button", { name });
  const row = (title: string) => button(`Change the shortcut of ${title}`).closest("div") as HTMLElement;
  return {
    row,
    keys: (title: string) => row(title).querySelector("kbd")?.textContent ?? null,
    said: () => within(map).getByRole("status").textContent,
    press: (name: string) => userEvent.click(button(name)),
    change: async (title: string, pressed: string) => {
      await userEvent.click(button(`Change the shortcut of ${title}`));
      await userEvent.keyboard(pressed);
    },
    isThere: (name: string) => within(map).queryByRole("button", { name }) !== null,
  };
}

const stored = () => JSON.parse(localStorage.getItem("arki.shortcuts") ?? "{}");

describe("the map of keys", () => {
  it("reads in one order: groups in two columns, each whole", async () => {
    await open();
    await openMap();
    const map = document.querySelector(".keymap") as HTMLElement;
    const groupsOf = (column: Element) =>
      [...column.querySelectorAll("h4")].map((title) => title.textContent);
    expect([...map.children].map(groupsOf)).toEqual([
      ["Session", "Folder"],
      ["View", "Arki"],
    ]);
    const folder = screen.getByRole("heading", { name: "Folder" }).closest("section");
    expect([...(folder?.querySelectorAll("dt") ?? [])].map((one) => one.textContent)).toEqual([
      "Open folder",
      "Open in editor",
      "Terminal here",
    ]);
  });
});

describe("a shortcut", () => {
  it("is changed by pressing it, at once in the map, the tooltips, the palette and the keys", async () => {
    await open();
    const map = await openMap();
    await userEvent.click(screen.getByRole("button", { name: "Change the shortcut of Settings" }));
    expect(map.said()).toBe("Settings: Press the new keys. Escape cancels, Backspace removes the shortcut.");
    await userEvent.keyboard("{Control>}m{/Control}{Control>}{Alt>}s{/Alt}{/Control}");
    expect(map.keys("Settings")).toBe("Ctrl+Alt+S");
    expect(map.said()).toBe("Settings: Ctrl+Alt+S");
    expect(stored()).toEqual({ settings: "Mod+Alt+S" });
    await userEvent.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(screen.getByRole("button", { name: "Settings" }).title).toBe("Settings (Ctrl+Alt+S)");
    await userEvent.keyboard("{Control>},{/Control}");
    expect(screen.queryByRole("dialog")).toBeNull();
    await userEvent.keyboard("{Control>}k{/Control}");
    const palette = await screen.findByRole("dialog", { name: "Command palette" });
    await userEvent.type(within(palette).getByRole("combobox"), "settings");
    expect((await within(palette).findByRole("option", { name: /^Settings/ })).textContent).toContain(
      "Ctrl+Alt+S",
    );
    await userEvent.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    await userEvent.keyboard("{Control>}{Alt>}s{/Alt}{/Control}");
    expect(await screen.findByRole("dialog", { name: "Settings" })).toBeTruthy();
  });

  it("is left alone by Escape, and taken away by Backspace", async () => {
    await open();
    const map = await openMap();
    await map.change("Settings", "{Escape}");
    expect(map.said()).toBe("Nothing was changed.");
    expect(map.keys("Settings")).toBe("Ctrl+,");
    await map.change("Settings", "{Backspace}");
    expect(map.said()).toBe("Settings has no shortcut now.");
    expect(map.keys("Settings")).toBeNull();
    expect(stored()).toEqual({ settings: null });
    await map.press("Reset the shortcut of Settings");
    expect(map.keys("Settings")).toBe("Ctrl+,");
    expect(stored()).toEqual({});
    await waitFor(() =>
      expect(document.activeElement?.getAttribute("aria-label")).toBe("Change the shortcut of Settings"),
    );
  });

  it.each([
    ["k", "K types text. Add Ctrl or Alt, or use a function key."],
    ["{Control>}c{/Control}", "Ctrl+C is needed to write, move and decide."],
    ["{Control>}{Enter}{/Control}", "Ctrl+Enter is needed to write, move and decide."],
    ["{Tab}", "Tab is needed to write, move and decide."],
    ["{Control>}{Shift>}a{/Shift}{/Control}", "Ctrl+Shift+A already belongs to: Message, Attach files"],
    ["{Control>}q{/Control}", "Ctrl+Q belongs to the system."],
  ])("can't be %s, and one may go on", async (pressed, words) => {
    await open();
    const map = await openMap();
    await map.change("Settings", pressed);
    expect(map.said()).toBe(words);
    expect(map.row("Settings").textContent).toContain(words);
    expect(stored()).toEqual({});
    await userEvent.keyboard("{F9}");
    expect(map.keys("Settings")).toBe("F9");
  });

  it("of another command is named, and used here only where that is asked for", async () => {
    await open();
    const map = await openMap();
    await map.change("Settings", "{Control>}n{/Control}");
    expect(map.said()).toBe("Ctrl+N already belongs to: New session");
    expect(stored()).toEqual({});
    await map.press("Cancel");
    expect(map.keys("Settings")).toBe("Ctrl+,");
    await map.change("Settings", "{Control>}n{/Control}");
    // From the button, the next stop is the offer.
    await userEvent.keyboard("{Tab}{Enter}");
    expect([map.keys("Settings"), map.keys("New session")]).toEqual(["Ctrl+N", null]);
    expect(stored()).toEqual({ settings: "Mod+N", new: null });
    await map.press("Reset the shortcut of New session");
    expect(map.said()).toBe("Ctrl+N already belongs to: Settings");
    await map.press("Reset all shortcuts");
    expect([map.keys("Settings"), map.keys("New session")]).toEqual(["Ctrl+,", "Ctrl+N"]);
  });

  it("is given to a command that has none, also to one that can't be run now", async () => {
    await open();
    const map = await openMap();
    expect(map.isThere("Change the shortcut of Replay this session")).toBe(false);
    const folded = screen.getByRole("button", { name: /commands without a shortcut$/ });
    await userEvent.click(folded);
    await map.change("Replay this session", "{F9}");
    expect(map.keys("Replay this session")).toBe("F9");
    await waitFor(() =>
      expect(document.activeElement?.getAttribute("aria-label")).toBe(
        "Change the shortcut of Replay this session",
      ),
    );
  });

  it("is awaited no longer where the focus goes elsewhere", async () => {
    await open();
    const map = await openMap();
    await userEvent.click(screen.getByRole("button", { name: "Change the shortcut of Settings" }));
    await userEvent.click(screen.getByRole("button", { name: "Change the shortcut of New session" }));
    await userEvent.keyboard("{F9}");
    expect([map.keys("Settings"), map.keys("New session")]).toEqual(["Ctrl+,", "F9"]);
  });

  it("that was stored counts from the start, also when another window stores it", async () => {
    localStorage.setItem("arki.shortcuts", '{"settings":"F9","new":"Mod+C","sidebar":7,"inspector":null}');
    await open();
    const title = (name: string) => screen.getByRole("button", { name }).title;
    expect(title("Settings")).toBe("Settings (F9)");
    expect(title("New session")).toBe("New session (Ctrl+N)");
    expect(title("Hide sessions")).toBe("Hide sessions (Ctrl+B)");
    expect(title("Show inspector")).toBe("Show inspector");
    act(() => void fireEvent(window, new StorageEvent("storage", { key: "arki.shortcuts", newValue: "{" })));
    expect(title("Settings")).toBe("Settings (Ctrl+,)");
  });

  it("is found in the settings too", async () => {
    await open();
    await userEvent.keyboard("{Control>},{/Control}");
    await userEvent.click(await screen.findByRole("tab", { name: "Shortcuts" }));
    expect(screen.getByRole("button", { name: "Change the shortcut of Settings" })).toBeTruthy();
  });
});
