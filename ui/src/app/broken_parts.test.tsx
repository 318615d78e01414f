import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createFake } from "../testing/fake";
import { renderOn } from "../testing/render";
import { App } from "./App";

const broken = vi.hoisted(() => ({ part: "" }));
const parts = vi.hoisted(() => (part: string) => () => {
  if (broken.part === part) throw new Error("broken");
  return <p>{part}</p>;
});
vi.mock("../features/sessions/Sessions", () => ({ Sessions: parts("sessions") }));
vi.mock("../features/conversation/Conversation", () => ({ Conversation: parts("conversation") }));
vi.mock("../features/review/Changes", () => ({ Changes: parts("changes") }));
vi.mock("../features/processes/Processes", () => ({ Processes: parts("processes") }));
vi.mock("../features/status/StatusBar", () => ({ StatusBar: parts("status") }));
vi.mock("../features/settings/SettingsDialog", () => ({ SettingsDialog: parts("settings") }));

describe("the window with one broken part", () => {
  beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => undefined));
  afterEach(() => {
    broken.part = "";
    vi.restoreAllMocks();
  });

  it("shows all the others", async () => {
    Object.assign(window, { innerWidth: 1440, innerHeight: 900 });
    localStorage.setItem("arki.inspector", "open");
    for (const part of ["sessions", "conversation", "status"]) {
      broken.part = part;
      const view = await renderOn(createFake({}), <App />);
      expect(screen.getByRole("alert").textContent, part).toContain("can't be shown: broken");
      for (const other of ["sessions", "conversation", "status"])
        expect(screen.queryByText(other) !== null, `${other} with ${part}`).toBe(other !== part);
      expect(screen.getByRole("complementary", { name: "Inspector" })).toBeTruthy();
      view.unmount();
    }
  });

  it("says so of a dialog when it is opened, and keeps the rest", async () => {
    Object.assign(window, { innerWidth: 1440, innerHeight: 900 });
    broken.part = "settings";
    await renderOn(createFake({}), <App />);
    expect(screen.queryByRole("alert")).toBeNull();
    await userEvent.keyboard("{Control>},{/Control}");
    expect((await screen.findByRole("alert")).textContent).toContain("can't be shown: broken");
    expect(screen.getByText("conversation")).toBeTruthy();
  });

  it("loses one tab of the inspector and not the rest of it", async () => {
    Object.assign(window, { innerWidth: 1440, innerHeight: 900 });
    localStorage.setItem("arki.inspector", "open");
    broken.part = "processes";
    await renderOn(createFake({}), <App />);
    await userEvent.click(screen.getByRole("tab", { name: "Processes" }));
    expect((await screen.findByRole("alert")).textContent).toContain("can't be shown");
    await userEvent.click(screen.getByRole("tab", { name: "Plan" }));
    expect(await screen.findByText("For larger tasks, Arki lists its steps here.")).toBeTruthy();
    await waitFor(() => expect(screen.queryByRole("alert")).toBeNull());
  });
});
