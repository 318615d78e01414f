import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import type { SettingEntry } from "../../protocol/generated";
import { createFake, fail } from "../../testing/fake";
import { renderOn, sent } from "../../testing/render";
import { AllSettings } from "./AllSettings";
import type { Chosen } from "./Appearance";
import { Desktop } from "./Desktop";

const entry = (key: string, value: unknown, more: Partial<SettingEntry> = {}): SettingEntry => ({
  key,
  value,
  origin: "default",
  file: null,
  kind: "json",
  choices: [],
  about: "",
  canBeSet: true,
  reset: more.origin === "user" ? "restores" : "nothing",
  itemKind: null,
  itemChoices: [],
  template: null,
  ...more,
});

const own = { origin: "user", file: "/home/ada/.config/arki/config.json" } as const;
const rule = { decision: "allow", tool: "run_command", command: ["cargo", "test"] };
const settings: SettingEntry[] = [
  entry("limits.maxTurns", 9, { ...own, kind: "number", about: "How many turns a run may take." }),
  entry("limits.maxSeconds", null, { kind: "number" }),
  entry("memory.reflect", false, { kind: "switch" }),
  entry("policy.categories.exec", "approval", { kind: "choice", choices: ["allow", "approval", "deny"] }),
  entry("policy.rules[0]", rule, { ...own, canBeSet: false }),
  entry("skills.enabled", false, {
    kind: "switch",
    origin: "project",
    file: "/p/.arki/config.json",
    canBeSet: false,
  }),
];

const chosen = vi.fn();
const look: Chosen = {
  ...{ theme: "system", onTheme: chosen, contrast: "system", onContrast: chosen },
  ...{ textSize: "usual", onTextSize: chosen, density: "comfortable", onDensity: chosen },
  ...{ codeFont: "", onCodeFont: chosen, language: "system", languages: ["en"], onLanguage: chosen },
};

async function shown(given: Parameters<typeof createFake>[0] = {}) {
  const fake = createFake({ settings, ...given });
  await renderOn(fake, <AllSettings folder="/p" look={look} />);
  await screen.findByText(/^\d+ settings$/);
  return fake;
}

const changes = (fake: Parameters<typeof sent>[0]) =>
  sent(fake, "change_settings").flatMap((call) => call.changes);

describe("all settings", () => {
  it("have times and sizes with their units", async () => {
    const provider = entry("providers.lab.timeoutSeconds", 1800, { ...own, kind: "number" });
    const fake = await shown({
      settings: [provider, entry("limits.maxToolOutputBytes", 65_536, { kind: "number" })],
    });
    expect(screen.getByRole<HTMLInputElement>("textbox", { name: "limits.maxToolOutputBytes" }).value).toBe(
      "64 KB",
    );
    const time = screen.getByRole<HTMLInputElement>("textbox", { name: "providers.lab.timeoutSeconds" });
    expect(time.value).toBe("30 min");
    await userEvent.clear(time);
    await userEvent.type(time, "90 s{Enter}");
    expect(changes(fake)).toEqual([{ key: "providers.lab.timeoutSeconds", text: "90", was: "1800" }]);
  });

  it("find those of the window's looks too, once one searches", async () => {
    await shown();
    expect(screen.queryByRole("region", { name: "Appearance" })).toBeNull();
    await userEvent.type(screen.getByRole("searchbox", { name: "Search settings" }), "density compact");
    const found = screen.getByRole("region", { name: "Appearance" });
    expect(screen.getByRole("status").textContent).toBe("1 setting");
    await userEvent.click(within(found).getByRole("radio", { name: "Compact" }));
    expect(chosen).toHaveBeenCalledExactlyOnceWith("compact");
  });

  it("say where each value comes from, and rules as sentences", async () => {
    const fake = await shown();
    expect(sent(fake, "list_settings")).toEqual([{ folder: "/p" }]);
    expect(screen.getAllByTitle("/home/ada/.config/arki/config.json")[0]?.textContent).toBe("Your file");
    expect(screen.getByTitle("/p/.arki/config.json").textContent).toBe("This folder");
    const policy = screen.getByRole("region", { name: "policy" });
    expect(policy.textContent).toContain("Always allow commands that begin with cargo test in every folder");
    // What the folder says can't be changed here.
    expect(screen.queryByRole("switch", { name: "skills.enabled" })).toBeNull();
  });

  it("are found by name, value, purpose and origin", async () => {
    await shown();
    const search = screen.getByRole("searchbox", { name: "Search settings" });
    await userEvent.type(search, "turns a run");
    expect(screen.getByText("1 setting")).toBeTruthy();
    await userEvent.clear(search);
    await userEvent.type(search, "your file");
    expect(screen.getByText("2 settings")).toBeTruthy();
  });

  it("are changed in the control that fits, with what was shown, and reset", async () => {
    const fake = await shown();
    await userEvent.click(screen.getByRole("switch", { name: "memory.reflect" }));
    await userEvent.selectOptions(screen.getByRole("combobox", { name: "policy.categories.exec" }), "deny");
    const turns = screen.getByRole("textbox", { name: "limits.maxTurns" });
    await userEvent.clear(turns);
    await userEvent.type(turns, "12{Enter}");
    await userEvent.clear(turns);
    await userEvent.click(screen.getByRole("button", { name: "Save limits.maxTurns" }));
    await userEvent.click(screen.getByRole("button", { name: "Reset limits.maxTurns" }));
    expect(changes(fake)).toEqual([
      { key: "memory.reflect", text: "true", was: "null" },
      { key: "policy.categories.exec", text: '"deny"', was: "null" },
      { key: "limits.maxTurns", text: "12", was: "9" },
      { key: "limits.maxTurns", text: "null", was: "9" },
      { key: "limits.maxTurns", text: null, was: "9" },
    ]);
    expect(screen.queryByRole("button", { name: "Reset memory.reflect" })).toBeNull();
  });

  it("say beside the value why it can't be so", async () => {
    await shown({ handlers: { change_settings: () => fail("CONFIG_INVALID", "It has to be a number.") } });
    await userEvent.type(screen.getByRole("textbox", { name: "limits.maxSeconds" }), "x{Enter}");
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toContain("It has to be a number.");
    expect(alert.closest("li")?.textContent).toContain("limits.maxSeconds");
    expect(screen.getByRole<HTMLInputElement>("textbox", { name: "limits.maxSeconds" }).value).toBe("x");
  });

  it("keep what was typed where somebody else has changed the value, and show theirs", async () => {
    let isChanged = false;
    const now = () => (isChanged ? settings.map((one) => ({ ...one, value: 30 })) : settings);
    await shown({
      handlers: {
        list_settings: () => now().slice(0, 1).concat(settings.slice(1)),
        change_settings: () => {
          isChanged = true;
          return fail("CONFIG_CHANGED", "Your configuration was changed meanwhile.");
        },
      },
    });
    const turns = screen.getByRole<HTMLInputElement>("textbox", { name: "limits.maxTurns" });
    await userEvent.clear(turns);
    await userEvent.type(turns, "12{Enter}");
    expect((await screen.findByRole("alert")).textContent).toContain("was changed meanwhile");
    expect(turns.value).toBe("12");
    await userEvent.clear(turns);
    await userEvent.type(turns, "30");
    // As it is now: nothing to save.
    await waitFor(() => expect(screen.queryByRole("button", { name: "Save limits.maxTurns" })).toBeNull());
  });
});

const lists: SettingEntry[] = [
  entry("policy.secretFiles", ["a", "b"], { ...own, kind: "list", itemKind: "text", reset: "nothing" }),
  entry("policy.secretFiles[0]", "a", { ...own, kind: "text", reset: "removes" }),
  entry("policy.secretFiles[1]", "b", { origin: "project", kind: "text", canBeSet: false }),
  entry("providers", null, { kind: "map", itemKind: "json", template: { kind: "custom" } }),
  entry("providers.lab", null, { ...own, kind: "group", canBeSet: false, reset: "removes" }),
  entry("providers.lab.headers.Key", "(hidden)", { ...own, kind: "secret", reset: "removes" }),
];

describe("what stands in lists and under names", () => {
  it("is added, changed and removed one by one, and a removal is undone", async () => {
    const fake = await shown({ settings: lists });
    await userEvent.click(screen.getByRole("button", { name: "Add to policy.secretFiles" }));
    const form = screen.getByRole("form", { name: "Add to policy.secretFiles" });
    await userEvent.type(within(form).getByRole("textbox", { name: "New entry" }), "c/**{Enter}");
    const add = await screen.findByRole("button", { name: "Add to policy.secretFiles" });
    await waitFor(() => expect(document.activeElement).toBe(add));
    await userEvent.type(screen.getByRole("textbox", { name: "policy.secretFiles[0]" }), "2{Enter}");
    await userEvent.click(screen.getByRole("button", { name: "Remove policy.secretFiles[0]" }));
    await userEvent.click(await screen.findByRole("button", { name: "Undo" }));
    expect(changes(fake)).toEqual([
      { key: "policy.secretFiles[]", text: '"c/**"', was: null },
      { key: "policy.secretFiles[0]", text: '"a2"', was: '"a"' },
      { key: "policy.secretFiles[0]", text: null, was: '"a"' },
      { key: "policy.secretFiles[]", text: '"a"', was: null },
    ]);
    // The project's.
    expect(screen.queryByRole("textbox", { name: "policy.secretFiles[1]" })).toBeNull();
    expect(screen.queryByRole("button", { name: "Remove policy.secretFiles[1]" })).toBeNull();
  });

  it("is added by name, and what was typed stays where it is refused", async () => {
    let isRefused = true;
    const fake = await shown({
      settings: lists,
      handlers: { change_settings: () => (isRefused ? fail("CONFIG_INVALID", "No such kind.") : null) },
    });
    await userEvent.click(screen.getByRole("button", { name: "Add to providers" }));
    const form = screen.getByRole("form", { name: "Add to providers" });
    await userEvent.type(within(form).getByRole("textbox", { name: "Name" }), "a.b");
    await userEvent.click(within(form).getByRole("button", { name: "Add" }));
    expect((await within(form).findByRole("alert")).textContent).toContain("No such kind.");
    isRefused = false;
    await userEvent.click(within(form).getByRole("button", { name: "Add" }));
    await waitFor(() => expect(screen.queryByRole("form")).toBeNull());
    const added = { key: 'providers."a.b"', text: JSON.stringify({ kind: "custom" }, null, 1), was: "null" };
    expect(changes(fake)).toEqual([added, added]);
  });

  it("is removed with all below it only after a question, and a secret is replaced unseen", async () => {
    const fake = await shown({ settings: lists });
    await userEvent.click(screen.getByRole("button", { name: "Remove providers.lab" }));
    expect(changes(fake)).toEqual([]);
    await userEvent.click(screen.getByRole("button", { name: "Keep" }));
    await userEvent.click(screen.getByRole("button", { name: "Remove providers.lab" }));
    await userEvent.click(screen.getByRole("button", { name: "Remove" }));
    await userEvent.type(screen.getByLabelText("providers.lab.headers.Key"), "sk-1{Enter}");
    expect(changes(fake)).toEqual([
      { key: "providers.lab", text: null, was: null },
      { key: "providers.lab.headers.Key", text: '"sk-1"', was: null },
    ]);
  });
});

describe("the desktop's settings", () => {
  it("switch notifications and staying awake", async () => {
    const fake = createFake({});
    fake.platform.call = new Proxy(fake.platform.call, {
      apply: (call, self, [name, params]) => {
        if (name === "set_setting" && params.key === "window.notifications") fake.app.notifies = false;
        return call.apply(self, [name, params]);
      },
    });
    await renderOn(fake, <Desktop />);
    const notifications = () => screen.getByRole<HTMLInputElement>("switch", { name: "Notifications" });
    expect(notifications().checked).toBe(true);
    await userEvent.click(notifications());
    await waitFor(() => expect(notifications().checked).toBe(false));
    await userEvent.click(screen.getByRole("switch", { name: "Keep the computer awake" }));
    expect(sent(fake, "set_setting")).toEqual([
      { key: "window.notifications", text: "false" },
      { key: "window.keepAwake", text: "true" },
    ]);
    expect(within(screen.getByRole("region", { name: "Desktop" })).queryByRole("alert")).toBeNull();
  });
});
