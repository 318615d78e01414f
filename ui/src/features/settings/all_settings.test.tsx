import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import type { SettingEntry } from "../../protocol/generated";
import { createFake, fail } from "../../testing/fake";
import { renderOn, sent } from "../../testing/render";
import { AllSettings } from "./AllSettings";
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
  entry("skills.enabled", false, { kind: "switch", origin: "project", file: "/p/.arki/config.json" }),
];

async function shown(given: Parameters<typeof createFake>[0] = {}) {
  const fake = createFake({ settings, ...given });
  await renderOn(fake, <AllSettings folder="/p" />);
  await screen.findByText("6 settings");
  return fake;
}

describe("all settings", () => {
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

  it("are changed in the control that fits, and reset", async () => {
    const fake = await shown();
    await userEvent.click(screen.getByRole("switch", { name: "memory.reflect" }));
    await userEvent.selectOptions(screen.getByRole("combobox", { name: "policy.categories.exec" }), "deny");
    const turns = screen.getByRole("textbox", { name: "limits.maxTurns" });
    await userEvent.clear(turns);
    await userEvent.type(turns, "12{Enter}");
    await userEvent.clear(turns);
    await userEvent.click(screen.getByRole("button", { name: "Save limits.maxTurns" }));
    await userEvent.click(screen.getByRole("button", { name: "Reset limits.maxTurns" }));
    expect(sent(fake, "set_setting")).toEqual([
      { key: "memory.reflect", text: "true" },
      { key: "policy.categories.exec", text: "deny" },
      { key: "limits.maxTurns", text: "12" },
      { key: "limits.maxTurns", text: "null" },
    ]);
    expect(sent(fake, "unset_setting")).toEqual([{ key: "limits.maxTurns" }]);
    expect(screen.queryByRole("button", { name: "Reset memory.reflect" })).toBeNull();
  });

  it("say beside the value why it can't be so", async () => {
    await shown({ handlers: { set_setting: () => fail("CONFIG_INVALID", "It has to be a number.") } });
    await userEvent.type(screen.getByRole("textbox", { name: "limits.maxSeconds" }), "x{Enter}");
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toContain("It has to be a number.");
    expect(alert.closest("li")?.textContent).toContain("limits.maxSeconds");
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
