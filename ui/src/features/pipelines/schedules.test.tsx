import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { fail } from "../../testing/fake";
import { openPipelines, press, tab } from "../../testing/pipelines_place";
import { nightly, pipelinesFake } from "../../testing/pipelines_scene";
import { sent } from "../../testing/render";

describe("schedules", () => {
  const openSchedules = async (handlers: Parameters<typeof pipelinesFake>[0] = {}) => {
    const fake = pipelinesFake(handlers);
    await openPipelines(fake);
    await tab("Schedules");
    await screen.findByText("Schedules start pipelines while Arki runs.");
    return fake;
  };

  it("say when they run next and what came of them", async () => {
    const last = { dueAt: Date.UTC(2026, 10, 22, 6, 30), runId: null, skipped: "The last run still works." };
    await openSchedules({ list_schedules: () => [{ ...nightly, last }] });
    const one = within(await screen.findByRole("listitem", { name: "nightly" }));
    expect(one.getByText(/^Next: 11\/23\/2026/)).toBeTruthy();
    expect(one.getByText("No run: The last run still works.")).toBeTruthy();
    const runs = within(one.getByRole("list", { name: "Last runs of nightly" })).getAllByRole("button");
    expect(runs).toHaveLength(5);
    await userEvent.click(runs[0] as HTMLElement);
    expect(await screen.findByRole("button", { name: "← All runs" })).toBeTruthy();
  });

  it("show characters that hide something in what they hand on", async () => {
    const params = { version: "next\u202e" };
    await openSchedules({ list_schedules: () => [{ ...nightly, params }] });
    const one = await screen.findByRole("listitem", { name: "nightly" });
    expect(one.textContent).toContain("version=nextU+202E");
  });

  it("are added by a form that takes the pipeline's parameters", async () => {
    const fake = await openSchedules();
    await press("Add schedule");
    const form = within(screen.getByRole("form", { name: "New schedule" }));
    const name = form.getByRole("textbox", { name: "Name" });
    await waitFor(() => expect(name).toBe(document.activeElement));
    await userEvent.type(name, "nightly");
    expect(form.getByRole("alert").textContent).toMatch(/There is a schedule of this name/);
    await userEvent.clear(name);
    await userEvent.type(name, "weekly");
    await userEvent.clear(form.getByRole("textbox", { name: "Times" }));
    await userEvent.type(form.getByRole("textbox", { name: "Times" }), "0 9 * * MON");
    await userEvent.selectOptions(form.getByRole("combobox", { name: "While Arki didn't run" }), "once");
    await userEvent.type(form.getByRole("textbox", { name: "version" }), "next");
    expect(form.getByText("! The step publish sends a request to releases.example.org.")).toBeTruthy();
    await press("Save schedule");
    expect(sent(fake, "save_schedule")).toEqual([
      {
        schedule: {
          name: "weekly",
          folder: "/home/ada/code/arki",
          pipeline: "release",
          cron: "0 9 * * MON",
          timeZone: null,
          missed: "once",
          params: { version: "next", tone: "plain", most: "20", dry: "true" },
        },
      },
    ]);
    await waitFor(() => expect(screen.queryByRole("form")).toBeNull());
  });

  it("keep the form where the engine refuses", async () => {
    await openSchedules({ save_schedule: () => fail("USAGE", "That is no time.", "Write five fields.") });
    await press("Edit");
    await press("Save schedule");
    expect(await screen.findByText("That is no time.")).toBeTruthy();
    expect(screen.getByRole("form", { name: "Edit nightly" })).toBeTruthy();
  });

  it("stay off when they are edited, and keep what a pipeline of another folder was given", async () => {
    const fake = await openSchedules({
      list_schedules: () => [{ ...nightly, folder: "/home/ada/other", isOn: false }],
    });
    await press("Edit");
    const form = within(screen.getByRole("form", { name: "Edit nightly" }));
    expect(form.queryByRole("textbox", { name: "version" })).toBeNull();
    await press("Save schedule");
    await waitFor(() => expect(sent(fake, "switch_schedule")).toEqual([{ name: "nightly", on: false }]));
    const { isOn: _on, nextAt: _next, last: _last, ...schedule } = nightly;
    expect(sent(fake, "save_schedule")).toEqual([{ schedule: { ...schedule, folder: "/home/ada/other" } }]);
  });

  it("are switched off, removed, and brought back as they were", async () => {
    let list = [{ ...nightly, isOn: false }];
    const fake = await openSchedules({
      list_schedules: () => list,
      remove_schedule: () => {
        list = [];
        return null;
      },
    });
    await userEvent.click(await screen.findByRole("switch", { name: "Run nightly on schedule" }));
    expect(sent(fake, "switch_schedule")).toEqual([{ name: "nightly", on: true }]);
    await press("Remove");
    await waitFor(() => expect(screen.queryByRole("listitem", { name: "nightly" })).toBeNull());
    await press("Undo");
    const { isOn: _on, nextAt: _next, last: _last, ...schedule } = nightly;
    expect(sent(fake, "save_schedule")).toEqual([{ schedule }]);
    expect(sent(fake, "switch_schedule").at(-1)).toEqual({ name: "nightly", on: false });
  });
});
