import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { eventLog } from "../testing/events";
import { createFake, demoProject } from "../testing/fake";
import { renderOn } from "../testing/render";
import { App } from "./App";

it("an answer is quoted into the message box, which then has the focus", async () => {
  Object.assign(window, { innerWidth: 1440, innerHeight: 900 });
  const { events, add } = eventLog("s");
  add("run.started", { prompt: "Which one?" });
  add("output.message", { content: "Take the first.\n\nOr none." });
  add("run.completed", {});
  const session = { sessionId: "s", title: "One", project: demoProject.path, createdAt: 0, updatedAt: 0 };
  const idle = {
    state: "done" as const,
    pendingApprovals: 0,
    origin: null,
    parent: null,
    agent: "arki",
    pinned: false,
    archived: false,
  };
  await renderOn(createFake({ sessions: [{ ...session, ...idle }], logs: { s: events } }), <App />);
  await userEvent.click(screen.getByRole("button", { name: "One" }));
  const box = await screen.findByRole<HTMLTextAreaElement>("textbox", { name: "Message" });
  await userEvent.type(box, "but why");
  await userEvent.click(await screen.findByRole("button", { name: "More about this answer" }));
  await userEvent.click(await screen.findByRole("menuitem", { name: "Quote" }));
  await waitFor(() => expect(box.value).toBe("> Take the first.\n>\n> Or none.\n\nbut why"));
  await waitFor(() => expect(document.activeElement).toBe(box));
});
