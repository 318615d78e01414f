import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { recall } from "../components/remembered";
import type { ProjectState } from "../protocol/generated";
import { eventLog, untoldUsage } from "../testing/events";
import { createFake, demoProject, type Fake } from "../testing/fake";
import { pipelinesFake } from "../testing/pipelines_scene";
import { questionLog } from "../testing/question_scene";
import { renderOn, sent } from "../testing/render";
import { previewOf, renameDiff } from "../testing/scenes";
import { sessionOf } from "../testing/sessions";
import { App } from "./App";
import { nextWaiting } from "./window_state";

const session = (sessionId: string, title: string) => sessionOf({ sessionId, title });

/** Wide enough for three columns; jsdom's own window is not. */
async function open(fake: Fake) {
  Object.assign(window, { innerWidth: 1440, innerHeight: 900 });
  return renderOn(fake, <App />);
}
const press = async (name: string) => userEvent.click(screen.getByRole("button", { name }));

describe("the window", () => {
  it("has the contract's landmarks, tabs and names", async () => {
    await open(createFake({ sessions: [session("s", "One")] }));
    expect(screen.getByRole("navigation", { name: "Sessions" })).toBeTruthy();
    expect(screen.getByRole("main", { name: "Conversation" })).toBeTruthy();
    await press("Show inspector");
    expect(screen.getByRole("complementary", { name: "Inspector" })).toBeTruthy();
    expect(screen.getByRole("contentinfo", { name: "Status" })).toBeTruthy();
    expect(
      screen.getAllByRole("tab").map((tab) => tab.getAttribute("aria-label") ?? tab.textContent),
    ).toEqual(["Changes", "Timeline", "Plan", "Context", "Processes"]);
    for (const name of ["New session", "Settings", "Send", "Open folder"])
      expect(screen.getByRole("button", { name })).toBeTruthy();
    await press("One");
    expect(screen.getByRole("log", { name: "Transcript" }).getAttribute("aria-live")).toBe("polite");
  });

  it("opens pipelines from the sidebar and the palette, and decides a gate in them", async () => {
    const fake = pipelinesFake();
    await open(fake);
    await press("Pipelines");
    await userEvent.click(await screen.findByRole("tab", { name: "Runs" }));
    await userEvent.click((await screen.findAllByRole("button", { name: "release" }))[0] as HTMLElement);
    const place = within(screen.getByRole("region", { name: "Pipelines" }));
    await userEvent.click(await place.findByRole("button", { name: "Approve" }));
    expect(sent(fake, "resolve_approval")).toMatchObject([
      { approvalId: "gate-1", resolution: { decision: "approve", previewHash: "" } },
    ]);
    await userEvent.keyboard("{Escape}{Control>}k{/Control}");
    await userEvent.click(await screen.findByText("Pipelines: start, runs, schedules"));
    expect(await screen.findByRole("button", { name: "← All runs" })).toBeTruthy();
    await userEvent.click(place.getAllByRole("button", { name: "Open its session" })[0] as HTMLElement);
    await waitFor(() => expect(screen.queryByRole("region", { name: "Pipelines" })).toBeNull());
    expect(screen.getByRole("button", { name: "Pipeline release" }).getAttribute("aria-current")).toBe(
      "true",
    );
  });

  it("opens a folder and asks about trust, and not again once answered", async () => {
    const undecided: ProjectState = { ...demoProject, trust: "undecided" };
    const fake = createFake({
      app: { project: null },
      handlers: { choose_folder: () => demoProject.path, open_project: () => undecided },
    });
    await open(fake);
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "New session" }).disabled).toBe(true);
    await press("Open folder");
    expect(sent(fake, "open_project")).toEqual([{ path: demoProject.path }]);
    expect(await screen.findByRole("dialog", { name: "Trust this folder?" })).toBeTruthy();
    await press("Trust folder");
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(screen.getByRole("textbox", { name: "Message" })).toBeTruthy();
  });

  it("tries the demo on a sample in a new folder, whose trust is asked for as any other's", async () => {
    const undecided: ProjectState = { ...demoProject, trust: "undecided" };
    let made: (path: string) => void = () => {};
    const handlers = {
      open_project: () => undecided,
      make_sample: () =>
        new Promise<string>((done) => {
          made = done;
        }) as never,
    };
    const fake = createFake({ app: { project: null }, handlers });
    await open(fake);
    await press("Try the demo on a sample");
    await press("Try the demo on a sample");
    expect(sent(fake, "make_sample")).toHaveLength(1);
    made(demoProject.path);
    expect(await screen.findByRole("dialog", { name: "Trust this folder?" })).toBeTruthy();
    await press("Trust folder");
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    await press("Send");
    expect(sent(fake, "send_message")).toMatchObject([
      {
        to: { folder: demoProject.path, sessionId: null },
        text: "Improve the README",
        options: { model: "demo/demo", approve: "ask" },
      },
    ]);
    expect(recall("model"), "later windows ask the model that they asked before").toBeNull();
  });

  it("asks about a folder that was given at the start", async () => {
    await open(createFake({ app: { project: { ...demoProject, trust: "undecided" } } }));
    expect(await screen.findByRole("dialog", { name: "Trust this folder?" })).toBeTruthy();
  });

  it("leaves a folder alone that was decided to stay untrusted", async () => {
    await open(createFake({ app: { project: { ...demoProject, trust: "untrusted" } } }));
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  it("sends into a new session with the chosen mode, then shows that session", async () => {
    const fake = createFake({});
    await open(fake);
    await userEvent.type(screen.getByRole("textbox", { name: "Message" }), "Do it{Enter}");
    expect(sent(fake, "send_message")).toEqual([
      {
        to: { folder: demoProject.path, sessionId: null },
        pictures: null,
        text: "Do it",
        options: { model: null, approve: "ask" },
        mode: null,
      },
    ]);
    expect(sent(fake, "open_conversation")).toMatchObject([{ sessionId: "new" }]);
  });

  it("only plans where that is chosen", async () => {
    const fake = createFake({});
    await open(fake);
    await press("Mode: Ask first");
    await userEvent.click(await screen.findByRole("menuitemradio", { name: /^Plan only/ }));
    await userEvent.type(screen.getByRole("textbox", { name: "Message" }), "Do it{Enter}");
    expect(sent(fake, "send_message")).toMatchObject([{ options: { approve: "plan" } }]);
  });

  it("announces a waiting approval in the title, the list, the inbox and the inspector", async () => {
    const { events, add } = eventLog("s");
    add("run.started", { prompt: "x" });
    const fake = createFake({ sessions: [session("s", "One")], logs: { s: events.slice() } });
    await open(fake);
    await press("One");
    await userEvent.keyboard("{Control>}2{/Control}");
    const asked = [
      add("tool.call", { callId: "c", toolId: "edit_file", args: { path: "a" } }),
      add("approval.requested", {
        approvalId: "title",
        callId: "c",
        toolId: "edit_file",
        args: {},
        preview: previewOf(renameDiff),
      }),
    ];
    await act(async () => fake.send({ events: asked }));
    expect(await screen.findAllByRole("button", { name: "Accept hunk" })).toHaveLength(4);
    expect(document.title).toBe("(1) One – Arki");
    expect(screen.getByRole("tab", { name: "Changes" }).getAttribute("aria-selected")).toBe("true");
    const row = screen.getByRole("button", { name: "One" });
    expect(document.getElementById(row.getAttribute("aria-describedby") ?? "")?.textContent).toContain(
      "waiting for you, 1 pending approval",
    );
  });

  it("leads from the inbox to the session that waits, with the focus on its first hunk", async () => {
    const { events, add } = eventLog("s");
    add("approval.requested", {
      approvalId: "inbox",
      callId: "c",
      toolId: "edit_file",
      args: {},
      preview: previewOf(renameDiff),
    });
    await open(createFake({ sessions: [session("t", "Other"), session("s", "One")], logs: { s: events } }));
    await press("Other");
    await press("Inbox");
    await waitFor(() => expect(document.activeElement?.getAttribute("data-hunk")).toBe("1"));
  });

  it("leads from the inbox to a question, and on to the message box once it is answered", async () => {
    const sessions = [session("t", "Other"), session("s", "One")];
    const fake = createFake({ sessions, logs: { s: questionLog("s") } });
    await open(fake);
    expect(document.title).toContain("(1) ");
    const row = screen.getByRole("button", { name: "One" });
    expect(document.getElementById(row.getAttribute("aria-describedby") ?? "")?.textContent).toContain(
      "waiting for you, 1 open question",
    );
    await press("Other");
    await press("Inbox");
    const option = await screen.findByRole("button", { name: "One row a setting" });
    await waitFor(() => expect(document.activeElement).toBe(option));
    await userEvent.click(option);
    await waitFor(() => expect(screen.queryByRole("textbox", { name: "Your answer" })).toBeNull());
    expect(sent(fake, "answer_question")).toEqual([
      { sessionId: "s", questionId: "q2", text: "One row a setting" },
    ]);
    await waitFor(() =>
      expect(document.activeElement).toBe(screen.getByRole("textbox", { name: "Message" })),
    );
    expect(document.title).not.toContain("(1) ");
  });

  it("offers every action in the palette and runs it", async () => {
    await open(createFake({}));
    await userEvent.keyboard("{Control>}k{/Control}");
    const palette = await screen.findByRole("dialog", { name: "Command palette" });
    await userEvent.type(within(palette).getByRole("combobox"), "keyboard{Enter}");
    expect(await screen.findByRole("dialog", { name: "Keyboard" })).toBeTruthy();
  });

  it("shows the keyboard map with ? outside of text, and types it inside", async () => {
    await open(createFake({}));
    await userEvent.type(screen.getByRole("textbox", { name: "Message" }), "?");
    expect(screen.queryByRole("dialog")).toBeNull();
    act(() => (document.activeElement as HTMLElement).blur());
    await userEvent.keyboard("?");
    expect(await screen.findByRole("dialog", { name: "Keyboard" })).toBeTruthy();
  });

  it("sets a key without keeping it anywhere in the page", async () => {
    const fake = createFake({
      providers: [
        {
          name: "lab",
          kind: "custom",
          baseUrl: "http://x",
          isLocal: true,
          keySource: "missing",
          keyEnv: null,
        },
      ],
    });
    await open(fake);
    await press("Settings");
    expect(await screen.findByRole("dialog", { name: "Settings" })).toBeTruthy();
    await press("Set key");
    await userEvent.type(screen.getByLabelText("API key for lab"), "sk-secret{Enter}");
    expect(sent(fake, "set_key")).toEqual([{ provider: "lab", key: "sk-secret" }]);
    expect(document.body.innerHTML).not.toContain("sk-secret");
    expect([...document.querySelectorAll("input")].map((input) => input.value)).not.toContain("sk-secret");
  });

  it("says nothing of a cost that nobody knows", async () => {
    const { events, add } = eventLog("s");
    add("engine.response", { usage: { ...untoldUsage, promptTokens: 18_000, completionTokens: 200 } });
    await open(createFake({ sessions: [session("s", "One")], logs: { s: events } }));
    await press("One");
    const status = within(screen.getByRole("contentinfo"));
    expect(await status.findByText("18.2k tok")).toBeTruthy();
    expect(status.queryByText(/cost|\$/)).toBeNull();
  });
});

it("opens a recent folder from the palette, and offers all but the one that is open", async () => {
  const recentProjects = [demoProject.path, "/home/ada/code/shop", "/srv/site"];
  const fake = createFake({ app: { recentProjects } });
  await open(fake);
  await userEvent.keyboard("{Control>}k{/Control}");
  await userEvent.type(await screen.findByRole("combobox"), "recent");
  const titles = screen.getAllByRole("option").map((one) => one.textContent);
  expect(titles.filter((one) => one?.startsWith("Open recent"))).toEqual([
    "Open recent: ~/code/shop",
    "Open recent: /srv/site",
  ]);
  await userEvent.click(screen.getByRole("option", { name: "Open recent: ~/code/shop" }));
  await waitFor(() => expect(sent(fake, "open_project")).toEqual([{ path: "/home/ada/code/shop" }]));
});

describe("the inbox", () => {
  it("lists what waits, beside the button that goes to the next, and leads to each", async () => {
    const logs = Object.fromEntries(
      ["s", "t"].map((id) => {
        const { events, add } = eventLog(id);
        const preview = previewOf(renameDiff);
        add("approval.requested", { approvalId: id, callId: "c", toolId: "edit_file", args: {}, preview });
        return [id, events];
      }),
    );
    const sessions = [session("s", "One"), { ...session("t", "Other"), project: "/home/ada/code/shop" }];
    const fake = createFake({ sessions, logs });
    await open(fake);
    await press("Show inbox");
    const place = await screen.findByRole("region", { name: "Inbox" });
    expect(within(place).getAllByRole("listitem")).toHaveLength(2);
    const row = () => within(place).getByRole("button", { name: /Other.*shop$/ });
    await userEvent.click(row());
    // Its review is beside it, with the keyboard on its first hunk.
    await waitFor(() => expect(document.activeElement?.getAttribute("data-hunk")).toBe("1"));
    expect(place.contains(document.activeElement)).toBe(true);
    expect(screen.getAllByRole("button", { name: "Accept all" })).toHaveLength(1);
    await userEvent.click(within(place).getByRole("button", { name: "Open its session" }));
    expect(await screen.findByRole("heading", { name: "Other" })).toBeTruthy();
    await waitFor(() => expect(document.activeElement?.getAttribute("data-hunk")).toBe("1"));
    expect(screen.queryByRole("region", { name: "Inbox" })).toBeNull();
    // And back to where one was.
    await userEvent.keyboard("{Alt>}{ArrowLeft}{/Alt}");
    expect(await screen.findByRole("region", { name: "Inbox" })).toBe(place);
    expect(row().getAttribute("aria-current")).toBe("true");
    await userEvent.keyboard("{Alt>}{ArrowRight}{/Alt}");
    expect(screen.queryByRole("region", { name: "Inbox" })).toBeNull();
    expect(screen.getByRole("heading", { name: "Other" })).toBeTruthy();
    // The buttons at the mouse's side do the same.
    fireEvent.mouseUp(document.body, { button: 3 });
    expect(screen.getByRole("region", { name: "Inbox" })).toBe(place);
    fireEvent.mouseUp(document.body, { button: 4 });
    expect(screen.queryByRole("region", { name: "Inbox" })).toBeNull();
  });

  it("says that nothing waits, by its button as by its key; Escape leads back to where the focus was", async () => {
    await open(createFake({}));
    const message = screen.getByRole("textbox", { name: "Message" });
    message.focus();
    await press("Inbox");
    await screen.findByText(/^Nothing waits for you/);
    expect(screen.queryByRole("textbox", { name: "Message" })).toBeNull();
    await userEvent.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByRole("region", { name: "Inbox" })).toBeNull());
    message.focus();
    await userEvent.keyboard("{Control>}{Shift>}j{/Shift}{/Control}");
    await screen.findByRole("region", { name: "Inbox" });
    await waitFor(() => expect(document.activeElement).not.toBe(message));
    expect(screen.queryByRole("button", { name: "Show inbox" })).toBeNull();
    await userEvent.keyboard("{Escape}");
    await waitFor(() => expect(document.activeElement).toBe(message));
  });

  it("goes round the sessions that wait", () => {
    const waiting = [{ sessionId: "a" }, { sessionId: "b" }, { sessionId: "a" }];
    expect([null, "a", "b", "x"].map((now) => nextWaiting(waiting, now))).toEqual(["a", "b", "a", "a"]);
    expect(nextWaiting([], null)).toBeNull();
  });
});
