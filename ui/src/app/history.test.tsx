import { act, cleanup, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it } from "vitest";
import type { SessionSummary } from "../protocol/generated";
import { eventLog } from "../testing/events";
import { createFake, demoProject, type Fake, fail } from "../testing/fake";
import { requestOf } from "../testing/fake_context";
import { preview } from "../testing/history_scenes";
import { renderOn, sent } from "../testing/render";
import { sessionOf } from "../testing/sessions";
import { App } from "./App";

const session = (sessionId: string, title: string, state: SessionSummary["state"] = "done") =>
  sessionOf({ sessionId, title, state });

function twoPrompts() {
  const log = eventLog("s");
  log.add("run.started", { prompt: "first" });
  log.add("output.message", { role: "assistant", content: "one" });
  log.add("run.started", { prompt: "second" });
  log.add("output.message", { role: "assistant", content: "two" });
  return log;
}

async function open(fake: Fake, title = "One") {
  Object.assign(window, { innerWidth: 1440, innerHeight: 900 });
  const rendered = await renderOn(fake, <App />);
  await userEvent.click(screen.getByRole("button", { name: title }));
  return rendered;
}
const press = async (name: string) => userEvent.click(await screen.findByRole("button", { name }));
const choose = async (menu: string, item: string | RegExp) => {
  await press(menu);
  await userEvent.click(await screen.findByRole("menuitem", { name: item }));
};
const message = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Message" });

describe("going back", () => {
  it("leads from a message through a dry run back to the message box, and can be taken back", async () => {
    const fake = createFake({
      sessions: [session("s", "One")],
      logs: { s: twoPrompts().events },
      history: { preview },
    });
    await open(fake);
    const buttons = await screen.findAllByRole("button", { name: "Rewind to here" });
    expect(buttons).toHaveLength(2);
    await userEvent.click(buttons[1] as HTMLElement);
    await userEvent.click(await screen.findByRole("button", { name: "Rewind" }));
    expect(sent(fake, "rewind")).toEqual([{ sessionId: "s", toSeq: 2, files: true, conversation: true }]);
    await waitFor(() => expect(message().value).toBe("second"));
    await waitFor(() => expect(document.activeElement).toBe(message()));
    expect(await screen.findByText(/^Rewound: 2 messages reverted, 2 files restored/)).toBeTruthy();
    const log = screen.getByRole("log", { name: "Transcript" });
    expect(within(log).queryByText("second")).toBeNull();
    await press("Show reverted messages");
    expect(within(log).getByText("second")).toBeTruthy();
    await press("Undo this rewind");
    await userEvent.click(await screen.findByRole("button", { name: "Rewind" }));
    expect(sent(fake, "rewind")[1]).toMatchObject({ toSeq: 4 });
    await waitFor(() => expect(screen.queryByText(/^Rewound: 2 messages/)).toBeNull());
    expect(within(log).getByText("second")).toBeTruthy();
  });

  it("edits a message and sends it again: back to before it, with its words to change", async () => {
    const fake = createFake({
      sessions: [session("s", "One")],
      logs: { s: twoPrompts().events },
      history: { preview },
    });
    await open(fake);
    await userEvent.clear(message());
    const [first] = await screen.findAllByRole("button", { name: "Edit and resend" });
    await userEvent.click(first as HTMLElement);
    const dialog = await screen.findByRole("dialog", { name: "Edit and resend" });
    // Without the conversation there is nothing to send again.
    expect(within(dialog).getAllByRole("radio")).toHaveLength(2);
    await userEvent.click(await within(dialog).findByRole("radio", { name: /^Conversation Revert/ }));
    await userEvent.click(await within(dialog).findByRole("button", { name: "Rewind and edit" }));
    expect(sent(fake, "rewind")).toEqual([{ sessionId: "s", toSeq: 0, files: false, conversation: true }]);
    await waitFor(() => expect(message().value).toBe("first"));
    await waitFor(() => expect(document.activeElement).toBe(message()));
  });

  it("edits the last message from anywhere, also one that was said to a run", async () => {
    const log = twoPrompts();
    log.add("message.queued", { messageId: "m", text: "and this", mode: "steer" });
    log.add("queue.changed", { delivered: ["m"], queued: [] });
    const fake = createFake({
      sessions: [session("s", "One")],
      logs: { s: log.events },
      history: { preview },
    });
    await open(fake);
    await userEvent.clear(message());
    await screen.findByText("and this");
    await userEvent.keyboard("{Control>}e{/Control}");
    const dialog = await screen.findByRole("dialog", { name: "Edit and resend" });
    await userEvent.click(await within(dialog).findByRole("button", { name: "Rewind and edit" }));
    await waitFor(() => expect(message().value).toBe("and this"));
  });

  it("shows where older messages were summarized, what the model sees instead, and the way back to before", async () => {
    const log = twoPrompts();
    const summary = "# Goal\n\nRename **everything**.";
    log.add("context.compacted", {
      strategy: "summarize-early",
      tokensBefore: 48_000,
      tokensAfter: 6_000,
      summary,
    });
    log.add("run.started", { prompt: "third" });
    const sizes = { tokensBefore: 48_000, tokensAfter: 6_000, targetTokens: 8_000 };
    const left = { dropped: [{ seq: 2, kind: "assistant" as const, text: "one" }], droppedCount: 2 };
    const compaction = { seq: 5, strategy: "summarize-early" as const, summary, ...sizes, ...left };
    const fake = createFake({
      sessions: [session("s", "One")],
      logs: { s: log.events },
      next: requestOf({ compactions: [compaction] }),
    });
    await open(fake);
    const divider = await screen.findByRole("button", {
      name: /^Older messages were summarized: 48,000 → 6,000 tokens/,
    });
    expect(screen.queryByRole("region", { name: "Summary for the model" })).toBeNull();
    await userEvent.click(divider);
    const shown = await screen.findByRole("region", { name: "Summary for the model" });
    expect(within(shown).getByRole("heading", { name: "Goal" })).toBeTruthy();
    const dropped = await screen.findByRole("list", { name: "Left out for the model" });
    expect(dropped.textContent).toBe("Answeroneand 1 more");
    await userEvent.click(within(dropped).getByRole("button", { name: /one/ }));
    await waitFor(() => expect(document.activeElement?.classList.contains("found")).toBe(true));
    await press("Go back to before");
    const dialog = await screen.findByRole("dialog", { name: "Go back to before the compaction" });
    await userEvent.click(within(dialog).getByRole("radio", { name: /^Conversation Revert/ }));
    await userEvent.click(within(dialog).getByRole("button", { name: "Rewind" }));
    expect(sent(fake, "rewind")).toEqual([{ sessionId: "s", toSeq: 4, files: false, conversation: true }]);
    await waitFor(() => expect(screen.queryByText(/^Older messages were summarized/)).toBeNull());
  });

  it("renames a session where it stands in the list, with F2, and keeps its title with Escape", async () => {
    const sessions = [session("s", "One"), session("z", "Two")];
    const fake = createFake({ sessions, logs: { s: twoPrompts().events, z: [] } });
    await open(fake);
    screen.getByRole("button", { name: "Two" }).focus();
    await userEvent.keyboard("{F2}Never{Escape}");
    const kept = await screen.findByRole("button", { name: "Two" });
    await waitFor(() => expect(document.activeElement).toBe(kept));
    await userEvent.keyboard("{F2}Better{Enter}");
    const renamed = await screen.findByRole("button", { name: "Better" });
    await waitFor(() => expect(document.activeElement).toBe(renamed));
    expect(sent(fake, "rename_session")).toEqual([{ sessionId: "z", title: "Better" }]);
    // From anywhere it is the session that is shown.
    await userEvent.click(message());
    await userEvent.keyboard("{F2}");
    const title = await screen.findByRole<HTMLInputElement>("textbox", { name: "Title" });
    expect(title.value).toBe("One");
    await userEvent.keyboard("First");
    await userEvent.click(message());
    expect(await screen.findByRole("heading", { name: "First" })).toBeTruthy();
  });

  it("says why a title can't be had, and goes on editing it", async () => {
    const handlers = { rename_session: () => fail("USAGE", "A title has 1 to 200 characters.") };
    await open(createFake({ sessions: [session("s", "One")], logs: { s: twoPrompts().events }, handlers }));
    await choose("Session menu", "Rename…");
    await userEvent.type(await screen.findByRole("textbox", { name: "Title" }), "{Enter}");
    screen.getByRole("button", { name: "One" }).focus();
    await userEvent.keyboard("{F2}x{Enter}");
    expect((await screen.findByRole("alert")).textContent).toContain("1 to 200");
    expect(screen.getByRole("textbox", { name: "Title" })).toBeTruthy();
  });

  it("forks before a message, with its words to be said differently, and links to the origin", async () => {
    const fake = createFake({ sessions: [session("s", "One")], logs: { s: twoPrompts().events } });
    await open(fake);
    await userEvent.click(
      (await screen.findAllByRole("button", { name: "More about this message" }))[1] as Element,
    );
    await userEvent.click(await screen.findByRole("menuitem", { name: /^Fork from here/ }));
    await waitFor(() => expect(sent(fake, "fork_session")).toHaveLength(1));
    expect(sent(fake, "fork_session")).toEqual([{ sessionId: "s", atSeq: 2 }]);
    await waitFor(() => expect(message().value).toBe("second"));
    const log = screen.getByRole("log", { name: "Transcript" });
    await userEvent.click(await within(log).findByRole("button", { name: "One" }));
    await waitFor(() => expect(document.activeElement?.classList.contains("found")).toBe(true));
    expect(document.activeElement?.textContent).toContain("one");
  });
});

describe("what waits to be said", () => {
  // Unsent words outlive the page of a test as they outlive a look at another session.
  beforeEach(async () => {
    await open(createFake({ sessions: [session("s", "One")] }));
    await userEvent.clear(message());
    cleanup();
  });

  it("is queued while a run works, survives being shown anew, and is changed in order", async () => {
    const log = twoPrompts();
    const fake = createFake({ sessions: [session("s", "One", "running")], logs: { s: log.events } });
    await open(fake);
    await userEvent.type(message(), "later{Enter}");
    await waitFor(() => expect(message().value).toBe(""));
    await userEvent.type(message(), "now{Alt>}{Enter}{/Alt}");
    expect(sent(fake, "send_message")).toMatchObject([
      { text: "later", mode: "follow_up" },
      { text: "now", mode: "steer" },
    ]);
    const list = await screen.findByRole("region", { name: "Queued messages" });
    await waitFor(() => expect(within(list).getAllByRole("listitem")).toHaveLength(2));
    const last = within(list).getAllByRole("listitem")[1];
    if (last) await userEvent.click(within(last).getByRole("button", { name: "Move up" }));
    expect(sent(fake, "set_queue")).toMatchObject([
      { sessionId: "s", queued: [{ text: "now" }, { text: "later" }] },
    ]);
  });

  it("says when a message was told meanwhile, and shows what is true", async () => {
    const log = twoPrompts();
    log.add("message.queued", { messageId: "m", text: "gone by now", mode: "steer" });
    const fake = createFake({
      sessions: [session("s", "One", "running")],
      logs: { s: log.events },
      handlers: { set_queue: () => fail("MESSAGE_NOT_FOUND", "This message was said already.") },
    });
    await open(fake);
    await press("Remove queued message");
    expect((await screen.findByRole("alert")).textContent).toContain("This message was said already.");
    expect(await screen.findByText("gone by now")).toBeTruthy();
  });
});

describe("a run that stopped half-way", () => {
  it.each(["paused", "interrupted"] as const)("says that it is %s, with one Resume", async (state) => {
    const fake = createFake({ sessions: [session("s", "One", state)], logs: { s: twoPrompts().events } });
    await open(fake);
    await press("Resume");
    expect(sent(fake, "resume_run")).toEqual([{ of: { folder: demoProject.path, sessionId: "s" } }]);
  });

  it("is paused by its button", async () => {
    const fake = createFake({ sessions: [session("s", "One", "running")], logs: { s: twoPrompts().events } });
    await open(fake);
    await press("Pause");
    expect(sent(fake, "pause_run")).toEqual([{ sessionId: "s" }]);
    expect(await screen.findByText("You paused this run. The work so far is kept.")).toBeTruthy();
  });

  it("cannot be gone on with where the log is broken, and says so", async () => {
    const fake = createFake({
      sessions: [session("s", "One", "interrupted")],
      logs: { s: twoPrompts().events },
      history: { overviews: { s: { brokenAt: 3 } } },
    });
    await open(fake);
    expect((await screen.findByRole("alert")).textContent).toContain("from event 3 on");
    expect(message().disabled).toBe(true);
    expect(screen.queryByRole("button", { name: "Resume" })).toBeNull();
    expect(screen.queryByRole("button", { name: "Rewind to here" })).toBeNull();
  });

  it("is run by another process: that is said, and Stop works", async () => {
    const fake = createFake({
      sessions: [session("s", "One", "running")],
      logs: { s: twoPrompts().events },
      history: { overviews: { s: { runBy: 4711 } } },
    });
    await open(fake);
    expect(await screen.findByText(/Another Arki is running this session \(process 4711\)/)).toBeTruthy();
    await press("Stop");
    expect(sent(fake, "stop_run")).toEqual([{ sessionId: "s" }]);
  });
});

describe("the session menu", () => {
  const menu = () => createFake({ sessions: [session("s", "One")], logs: { s: twoPrompts().events } });

  it("exports and says where to", async () => {
    const fake = menu();
    await open(fake);
    await choose("Session menu", /^Export as Markdown/);
    await waitFor(() => expect(sent(fake, "export_session")).toHaveLength(1));
    expect(sent(fake, "export_session")).toEqual([{ sessionId: "s", format: "markdown" }]);
    expect(await screen.findByText("Exported to /home/ada/Downloads/s.markdown")).toBeTruthy();
  });

  it("deletes only after asking, and says what that freed", async () => {
    const fake = menu();
    await open(fake);
    await choose("Session menu", /^Delete/);
    expect(await screen.findByRole("dialog", { name: "Delete this session?" })).toBeTruthy();
    await waitFor(() => expect(document.activeElement?.textContent).toBe("Keep it"));
    await press("Delete session");
    expect(sent(fake, "remove_session")).toEqual([{ sessionId: "s" }]);
    expect(await screen.findByText("Deleted. 1.2 MB freed.")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "One" })).toBeNull();
  });
});

describe("searching everything", () => {
  it("finds sessions of all folders by a part of their title, also a new one, and goes there", async () => {
    const fake = createFake({
      sessions: [session("s", "One"), { ...session("t", "Rename Widget"), project: "/home/ada/code/other" }],
      logs: { s: twoPrompts().events, t: [] },
    });
    await open(fake);
    const { add, events } = eventLog("s");
    add("session.configured", { title: "The new parser" });
    await act(async () => fake.send({ events }));
    await userEvent.keyboard("{Control>}k{/Control}");
    const box = await screen.findByRole("combobox");
    await userEvent.type(box, "arse");
    expect((await screen.findByRole("group", { name: "Sessions" })).textContent).toContain(
      "The new parserarki",
    );
    await userEvent.clear(box);
    await userEvent.type(box, "idget");
    const sessions = await screen.findByRole("group", { name: "Sessions" });
    expect(sessions.textContent).toContain("Rename Widgetother");
    await userEvent.keyboard("{Alt>}f{/Alt}");
    expect(screen.queryByRole("group", { name: "Sessions" })).toBeNull();
    await userEvent.keyboard("{Alt>}f{/Alt}");
    await userEvent.click(await screen.findByRole("option", { name: /Rename Widget/ }));
    expect(await screen.findByRole("heading", { name: "Rename Widget" })).toBeTruthy();
    expect(sent(fake, "open_project")).toEqual([{ path: "/home/ada/code/other" }]);
  });

  it("finds what was said, marks it, and leads there", async () => {
    const fake = createFake({
      sessions: [session("s", "One"), session("t", "Two")],
      logs: { s: twoPrompts().events, t: [] },
    });
    await open(fake, "Two");
    await userEvent.keyboard("{Control>}k{/Control}");
    const palette = await screen.findByRole("dialog", { name: "Command palette" });
    await userEvent.type(within(palette).getByRole("combobox"), "secon");
    expect((await within(palette).findByText("secon")).tagName).toBe("MARK");
    expect(sent(fake, "search_sessions").at(-1)).toEqual({ text: "secon*", project: null, limit: 60 });
    expect(within(palette).getByText(/^One · arki$/)).toBeTruthy();
    await userEvent.keyboard("{Alt>}f{/Alt}");
    await waitFor(() =>
      expect(sent(fake, "search_sessions").at(-1)).toMatchObject({ project: demoProject.path }),
    );
    await userEvent.click(await within(palette).findByText("secon"));
    await waitFor(() => expect(document.activeElement?.classList.contains("found")).toBe(true));
    expect(document.activeElement?.textContent).toContain("second");
  });
});

describe("other processes", () => {
  it("ask for approvals in sessions that this window never heard of", async () => {
    const known = [session("s", "One")];
    const fake = createFake({
      logs: { s: twoPrompts().events },
      handlers: { list_sessions: () => [...known] },
    });
    await open(fake);
    const { add } = eventLog("elsewhere");
    await act(async () => fake.send({ events: [add("tool.call", { callId: "c", toolId: "run_command" })] }));
    known.push({ ...session("elsewhere", "From a terminal", "waiting"), project: "/home/ada/code/other" });
    const asked = add("approval.requested", {
      approvalId: "far",
      callId: "c",
      toolId: "run_command",
      args: {},
    });
    await act(async () => fake.send({ events: [asked] }));
    await screen.findByRole("button", { name: "From a terminal" });
    await press("Inbox");
    await waitFor(() => expect(document.title).toContain("From a terminal"));
    expect(screen.getByRole("contentinfo", { name: "Status" }).textContent).toContain("~/code/other");
  });
});

describe("other agents' sessions", () => {
  it("are brought in from the palette, with what was here already and what was left out", async () => {
    const brought = { sessionId: "b", title: "Brought", project: demoProject.path, leftOut: 0 };
    const fake = createFake({
      sessions: [session("s", "One")],
      logs: { s: twoPrompts().events },
      handlers: {
        import_history: ({ from }) =>
          from === "codex"
            ? { sessions: [], faults: [] }
            : {
                sessions: [
                  { ...brought, outcome: "added" },
                  { ...brought, sessionId: "c", outcome: "unchanged" },
                ],
                faults: ["One file can't be read."],
              },
      },
    });
    await open(fake);
    const bring = async (agent: string) => {
      await userEvent.keyboard("{Control>}k{/Control}");
      const palette = await screen.findByRole("dialog", { name: "Command palette" });
      await userEvent.keyboard(`import sessions from ${agent}`);
      await within(palette).findByText(`Import sessions from ${agent}`, { exact: false });
      await userEvent.keyboard("{Enter}");
    };
    await bring("Claude Code");
    await screen.findByText("Imported 1 session · 1 was here already · One file can't be read.");
    expect(sent(fake, "import_history")).toEqual([{ from: "claude_code", folder: demoProject.path }]);
    await bring("Codex");
    await screen.findByText("Codex has kept no sessions here.");
  });
});
