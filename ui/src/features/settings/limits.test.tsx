import { i18n } from "@lingui/core";
import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it } from "vitest";
import type { SettingEntry } from "../../protocol/generated";
import { createFake, fail } from "../../testing/fake";
import { renderOn, sent } from "../../testing/render";
import { Limits } from "./Limits";

const limit = (key: string, value: unknown, origin: SettingEntry["origin"] = "default"): SettingEntry => ({
  key,
  value,
  origin,
  file: origin === "default" ? null : "/home/ada/.config/arki/config.json",
  kind: "number",
  choices: [],
  about: "",
  canBeSet: origin !== "project",
  reset: origin === "user" ? "restores" : "nothing",
  itemKind: null,
  itemChoices: [],
  template: null,
});

const settings = [
  limit("limits.maxTurns", 50),
  limit("limits.maxSeconds", null),
  limit("limits.toolTimeoutSeconds", 120, "user"),
  limit("limits.maxToolOutputBytes", 65_536),
  limit("limits.maxCommandProcesses", 7, "project"),
  limit("retention.deleteSessionsAfterDays", null),
];

async function shown(handlers: Parameters<typeof createFake>[0]["handlers"] = {}, entries = settings) {
  const fake = createFake({ settings: entries, handlers });
  await renderOn(fake, <Limits folder="/p" />);
  await screen.findByText("Model requests per run");
  return fake;
}

const row = (name: string) => within(screen.getByText(name).closest("li") as HTMLElement);

afterEach(() => i18n.loadAndActivate({ locale: "en", messages: {} }));

describe("limits and storage", () => {
  it("say each value in words, and where it comes from", async () => {
    await shown();
    expect(row("Time per tool call").getByDisplayValue("2 min")).toBeTruthy();
    expect(row("Time per tool call").getByText("Your file")).toBeTruthy();
    expect(row("Tool output for the model").getByDisplayValue("64 KB")).toBeTruthy();
    expect(row("Time per run").getByText("Now: no limit.")).toBeTruthy();
    expect(row("Sessions").getByText("Now: kept until you delete them.")).toBeTruthy();
    expect(row("Processes per command").queryByRole("textbox")).toBeNull();
    expect(row("Processes per command").getByText("This folder")).toBeTruthy();
  });

  it("say what holds where one was emptied", async () => {
    await shown({}, [
      limit("limits.maxTurns", null, "user"),
      limit("limits.toolTimeoutSeconds", null, "user"),
    ]);
    expect(row("Model requests per run").getByText("Now: 50 requests.")).toBeTruthy();
    expect(row("Time per tool call").getByText("Now: 2 min.")).toBeTruthy();
  });

  it("are typed with the language's decimal mark", async () => {
    i18n.loadAndActivate({ locale: "de", messages: {} });
    const fake = await shown({}, [limit("limits.maxTurns", 50), limit("limits.maxCostUsd", 2.5, "user")]);
    const field = screen.getByRole<HTMLInputElement>("textbox", { name: "Cost per run" });
    expect(field.value).toBe("2,5");
    await userEvent.clear(field);
    await userEvent.type(field, "1,5{Enter}");
    expect(sent(fake, "change_settings")).toEqual([
      { changes: [{ key: "limits.maxCostUsd", text: "1.5", was: "2.5" }] },
    ]);
  });

  it("are set and reset, and say why not", async () => {
    let isRefused = true;
    const fake = await shown({
      change_settings: () => (isRefused ? fail("CONFIG_INVALID", "It is at least 1.") : null),
    });
    await userEvent.type(screen.getByRole("textbox", { name: "Time per run" }), "0{Enter}");
    expect((await row("Time per run").findByRole("alert")).textContent).toContain("It is at least 1.");
    isRefused = false;
    await userEvent.click(screen.getByRole("button", { name: "Reset Time per tool call" }));
    expect(sent(fake, "change_settings")).toEqual([
      { changes: [{ key: "limits.maxSeconds", text: "0", was: "null" }] },
      { changes: [{ key: "limits.toolTimeoutSeconds", text: null, was: "120" }] },
    ]);
  });

  it("are typed with their units, and stored as numbers", async () => {
    const fake = await shown();
    await userEvent.type(screen.getByRole("textbox", { name: "Time per run" }), "1.5 h{Enter}");
    expect(sent(fake, "change_settings")).toEqual([
      { changes: [{ key: "limits.maxSeconds", text: "5400", was: "null" }] },
    ]);
  });

  it("show the disk space, and tidy up", async () => {
    const before = await createFake({}).platform.call("storage_use", {});
    await shown({ tidy_now: () => ({ ...before, freeBytes: before.freeBytes + (6 << 20) }) });
    const storage = within(screen.getByRole("region", { name: "Disk space" }));
    expect((await storage.findByText("64.0 MiB, with 12,000 events")).textContent).toBeTruthy();
    expect(storage.getByText("20.0 MiB of at most 2.00 GiB")).toBeTruthy();
    await userEvent.click(storage.getByRole("button", { name: "Tidy up now" }));
    await storage.findByText("Done. 6.0 MiB are free again.");
  });
});
