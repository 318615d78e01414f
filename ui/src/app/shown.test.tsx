/** What the window shows is what it acts on, whichever way one came there. */
import { act, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it } from "vitest";
import { eventLog } from "../testing/events";
import { createFake, demoProject, type Fake, fail } from "../testing/fake";
import { renderOn, sent } from "../testing/render";
import { sessionOf } from "../testing/sessions";
import { App } from "./App";
import { type Choice, shownOver } from "./shown";

const here = demoProject.path;
const there = "/home/ada/code/garden";

const session = (sessionId: string, title: string, project = here) =>
  sessionOf({ sessionId, title, project, state: "done" });

const sessions = [
  session("a", "Draw the icons"),
  session("b", "Water the beds", there),
  session("c", "Prune the trees", there),
];

async function open(given: Parameters<typeof createFake>[0] = {}): Promise<Fake> {
  Object.assign(window, { innerWidth: 1440, innerHeight: 900 });
  const fake = createFake({ sessions, ...given });
  await renderOn(fake, <App />);
  return fake;
}
const press = async (name: string) => userEvent.click(screen.getByRole("button", { name }));
const message = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Message" });
const status = () => screen.getByRole("contentinfo", { name: "Status" }).textContent ?? "";
const named = () => document.getElementById(message().getAttribute("aria-describedby") ?? "")?.textContent;
const say = async (fake: Fake, words: string) => {
  await userEvent.type(message(), `${words}{Enter}`);
  await waitFor(() => expect(message().value).toBe(""));
  return sent(fake, "send_message").at(-1)?.to;
};

describe("what the window shows is what it acts on", () => {
  beforeEach(() => localStorage.clear());

  it("when a second start hands over another folder", async () => {
    const fake = await open();
    await press("Draw the icons");
    await act(async () => fake.openOutside({ ...demoProject, path: there, name: "garden" }));
    expect(status()).toContain("~/code/garden");
    expect(screen.queryByRole("heading", { name: "Draw the icons" })).toBeNull();
    expect(named()).toBe("To a new session in garden");
    expect(await say(fake, "Sow")).toEqual({ folder: there, sessionId: null });
  });

  it("when another folder is chosen, also where opening it takes long", async () => {
    const fake = await open({ handlers: { choose_folder: () => there } });
    await press("Draw the icons");
    expect(named()).toBe("To “Draw the icons” in arki");
    await press("Open folder");
    await waitFor(() => expect(status()).toContain("~/code/garden"));
    expect(await say(fake, "Sow")).toEqual({ folder: there, sessionId: null });
  });

  it("when a session of another folder is chosen: its folder is opened with it", async () => {
    const fake = await open();
    await press("Water the beds");
    await waitFor(() => expect(sent(fake, "open_project")).toEqual([{ path: there }]));
    expect(status()).toContain("~/code/garden");
    expect(named()).toBe("To “Water the beds” in garden");
    expect(await say(fake, "More")).toEqual({ folder: there, sessionId: "b" });
    await press("New session");
    expect(await say(fake, "Else")).toEqual({ folder: there, sessionId: null });
  });

  it("when one comes back to a folder: a new session of it", async () => {
    const fake = await open();
    await press("Water the beds");
    await press("Draw the icons");
    await waitFor(() => expect(status()).toContain("~/code/arki"));
    await act(async () => fake.openOutside({ ...demoProject, path: there, name: "garden" }));
    expect(named()).toBe("To a new session in garden");
    expect(await say(fake, "More")).toEqual({ folder: there, sessionId: null });
  });

  it("when a folder is opened in which a session waits for the user: that one", async () => {
    const waits = { ...session("b", "Water the beds", there), state: "waiting" as const };
    const fake = await open({ sessions: [session("c", "Prune the trees", there), waits] });
    await act(async () => fake.openOutside({ ...demoProject, path: there, name: "garden" }));
    expect(screen.getByRole("heading", { name: "Water the beds" })).toBeTruthy();
  });

  it("when sessions are chosen faster than their folders open: the last one counts", async () => {
    const opened: (() => void)[] = [];
    const fake = await open();
    const { call } = fake.platform;
    fake.platform.call = async (name, params) => {
      if (name === "open_project") await new Promise<void>((done) => opened.push(done));
      return call(name, params);
    };
    await press("Water the beds");
    await press("Draw the icons");
    await press("Prune the trees");
    expect(named()).toBe("To “Prune the trees” in garden");
    for (let at = 0; at < 3; at += 1) await act(async () => opened[at]?.());
    expect(status()).toContain("~/code/garden");
    expect(await say(fake, "More")).toEqual({ folder: there, sessionId: "c" });
  });

  it("when a session's folder is gone: it can be read, and nothing can be sent", async () => {
    const log = eventLog("b");
    log.add("run.started", { prompt: "Water them all" });
    const fake = await open({
      logs: { b: log.events },
      handlers: { open_project: () => fail("FOLDER_UNAVAILABLE", "The folder can't be opened: it is gone.") },
    });
    await press("Water the beds");
    expect(await screen.findByText("Water them all")).toBeTruthy();
    expect(status()).toContain("~/code/garden");
    expect(message().disabled).toBe(true);
    expect(screen.getByText(/The folder can't be opened: it is gone\./)).toBeTruthy();
    await press("Draw the icons");
    expect(message().disabled).toBe(false);
    expect(await say(fake, "More")).toEqual({ folder: here, sessionId: "a" });
  });

  it("when a run is resumed by a key", async () => {
    const stopped = { ...session("b", "Water the beds", there), state: "interrupted" as const };
    const fake = await open({ sessions: [sessions[0] ?? stopped, stopped] });
    await press("Water the beds");
    await userEvent.keyboard("{Control>}{Shift>}P{/Shift}{/Control}");
    expect(sent(fake, "resume_run")).toEqual([{ of: { folder: there, sessionId: "b" } }]);
  });

  it("keeps what is written for a new session with the folder that it was written for", async () => {
    const fake = await open();
    await userEvent.type(message(), "for arki");
    await act(async () => fake.openOutside({ ...demoProject, path: there, name: "garden" }));
    expect(message().value).toBe("");
    await act(async () => fake.openOutside(demoProject));
    expect(message().value).toBe("for arki");
    await userEvent.clear(message());
  });
});

describe("what is shown over an open folder", () => {
  const chosen: Choice = { over: "/a", shown: { folder: "/b", sessionId: "s" } };

  it("is what was chosen while its folder opens and once it has", () => {
    expect(shownOver("/a", chosen)).toEqual({ folder: "/b", sessionId: "s" });
    expect(shownOver("/b", chosen)).toEqual({ folder: "/b", sessionId: "s" });
  });

  it("is a new session of any other folder, and nothing without one", () => {
    expect(shownOver("/c", chosen)).toEqual({ folder: "/c", sessionId: null });
    expect(shownOver("/c", null)).toEqual({ folder: "/c", sessionId: null });
    expect(shownOver(null, null)).toBeNull();
  });
});
