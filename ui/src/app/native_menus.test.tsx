/** What the desktop shows outside of the page: the menu bar of macOS, and the tray's words. */
import { act, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import type { MenuBar } from "../protocol/generated";
import { createFake } from "../testing/fake";
import { renderOn, sent } from "../testing/render";
import { App } from "./App";
import { draftsOf } from "./commands";
import { menuBarOf } from "./NativeMenus";
import type { Actions } from "./use_commands";

// Only what stands in the menu bar is macOS's: the keys of this test are those of everywhere else.
vi.mock("../components/shortcuts", async (original) => ({
  ...(await original<typeof import("../components/shortcuts")>()),
  isMac: true,
}));

const everything = new Proxy({} as Actions, { get: () => Object.assign(() => undefined, { toggle() {} }) });
const idsOf = ({ menus }: MenuBar) => menus.flatMap(({ groups }) => groups.flat().map(({ id }) => id));

it("every command but the models stands in one menu", () => {
  const drafts = draftsOf(everything, [], ["/home/ada/code/shop"]);
  expect(idsOf(menuBarOf(drafts, {}, false)).sort()).toEqual(drafts.map(({ id }) => id).sort());
});

it("a command has its keys and can't be chosen while it can't be run", () => {
  const drafts = draftsOf({ ...everything, newSession: () => undefined, stop: null } as Actions, []);
  const keys = { new: "Mod+N", stop: "Mod+." };
  const items = (isBusy: boolean) =>
    menuBarOf(drafts, keys, isBusy).menus.flatMap(({ groups }) => groups.flat());
  const item = (id: string, isBusy = false) => items(isBusy).find((one) => one.id === id);
  expect(item("new")).toEqual({ id: "new", title: "New session", keys: "Mod+N", isEnabled: true });
  expect(item("stop")).toMatchObject({ keys: "Mod+.", isEnabled: false });
  expect(item("new", true)).toMatchObject({ keys: null, isEnabled: false });
});

/** The menu bar that was asked for last. */
const barOf = (fake: ReturnType<typeof createFake>) =>
  sent(fake, "set_menu_bar").at(-1) as { bar: MenuBar } | undefined;
const settingsOf = (fake: ReturnType<typeof createFake>) =>
  barOf(fake)
    ?.bar.menus.flatMap(({ groups }) => groups.flat())
    .find(({ id }) => id === "settings");

async function shown(heard: string[]) {
  vi.spyOn(document, "hasFocus").mockReturnValue(true);
  Object.assign(window, { innerWidth: 1440, innerHeight: 900 });
  const fake = createFake({ handlers: { set_menu_bar: () => heard } });
  await renderOn(fake, <App />);
  await waitFor(() => expect(settingsOf(fake)).toMatchObject({ keys: "Mod+,", isEnabled: true }));
  // The answer.
  await act(async () => {});
  return fake;
}

it("what is chosen in a menu runs its command, over an open dialog too", async () => {
  const fake = await shown([]);
  act(() => fake.askOutside({ type: "command", id: "settings" }));
  await screen.findByRole("dialog", { name: "Settings" });
  await waitFor(() => expect(settingsOf(fake)).toMatchObject({ keys: null, isEnabled: false }));
  act(() => fake.askOutside({ type: "command", id: "keys" }));
  await screen.findByRole("dialog", { name: "Keyboard" });
  expect(screen.queryByRole("dialog", { name: "Settings" })).toBeNull();
  // Of a page that knows it no more.
  act(() => fake.askOutside({ type: "command", id: "nothing" }));
  await waitFor(() => expect(screen.queryByRole("dialog", { name: "Keyboard" })).toBeNull());
});

it("keys that the menu listens to are left to it, and all others are heard", async () => {
  const fake = await shown(["settings"]);
  await userEvent.keyboard("{Control>},{/Control}{Control>}{Alt>}n{/Alt}{/Control}");
  expect(sent(fake, "open_window")).toEqual([{ sessionId: null }]);
  expect(screen.queryByRole("dialog")).toBeNull();
});

it("without a menu that listens, the page hears every key", async () => {
  await shown([]);
  await userEvent.keyboard("{Control>},{/Control}");
  await screen.findByRole("dialog", { name: "Settings" });
});

it("a window without the focus leaves the menu bar to the one that has it", async () => {
  const focus = vi.spyOn(document, "hasFocus").mockReturnValue(false);
  const fake = createFake({});
  await renderOn(fake, <App />);
  await waitFor(() => expect(sent(fake, "set_desktop_words")).toHaveLength(1));
  expect(sent(fake, "set_menu_bar")).toEqual([]);
  focus.mockReturnValue(true);
  act(() => void window.dispatchEvent(new Event("focus")));
  await waitFor(() => expect(sent(fake, "set_menu_bar")).toHaveLength(1));
});

it("the desktop speaks the window's language", async () => {
  const fake = await shown([]);
  const [named] = sent(fake, "set_desktop_words");
  expect(named).toMatchObject({
    words: {
      tray: { show: "Show Arki", pending: "Pending decisions" },
      notices: { failed: "The run failed: {error}", permission: "Arki needs your permission to use {tool}." },
      dialogs: { openFolder: "Open folder" },
    },
  });
});
