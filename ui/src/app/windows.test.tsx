/** What leads out of the window: others, links, and a commit. */
import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { eventLog } from "../testing/events";
import { createFake } from "../testing/fake";
import { renderOn, sent } from "../testing/render";
import { sessionOf } from "../testing/sessions";
import { App } from "./App";

const session = sessionOf();

async function shown() {
  Object.assign(window, { innerWidth: 1440, innerHeight: 900 });
  const { events, add } = eventLog("s");
  add("session.created");
  const fake = createFake({ sessions: [session], logs: { s: events } });
  await renderOn(fake, <App />);
  await userEvent.click(screen.getByRole("button", { name: "One" }));
  return fake;
}

it("a window is opened on the folder by its key, and on a session from the session's menu", async () => {
  const fake = await shown();
  await userEvent.keyboard("{Control>}{Alt>}n{/Alt}{/Control}");
  expect(sent(fake, "open_window")).toEqual([{ sessionId: null }]);
  await userEvent.click(screen.getByRole("button", { name: "Session menu" }));
  await userEvent.click(await screen.findByRole("menuitem", { name: /^Open in a new window/ }));
  await waitFor(() => expect(sent(fake, "open_window")).toEqual([{ sessionId: null }, { sessionId: "s" }]));
});

it("a window that can't be opened says why", async () => {
  const fake = await shown();
  fake.platform.call = async () => {
    throw { code: "WINDOWS_FULL", message: "12 windows are open.", hint: "Close one that you don't need." };
  };
  await userEvent.keyboard("{Control>}{Alt>}n{/Alt}{/Control}");
  expect(await screen.findByText("Close one that you don't need.", { exact: false })).toBeTruthy();
});

it("the link to a session is copied as others can open it", async () => {
  await shown();
  const copied: string[] = [];
  Object.defineProperty(navigator, "clipboard", {
    configurable: true,
    value: { writeText: async (text: string) => copied.push(text) },
  });
  await userEvent.click(screen.getByRole("button", { name: "Session menu" }));
  await userEvent.click(await screen.findByRole("menuitem", { name: /^Copy link/ }));
  await waitFor(() => expect(copied).toEqual(["arki://session/s"]));
  await screen.findByText("The link to this session is copied.");
});

it("a commit begins in the message box, where one may say what belongs into it", async () => {
  const fake = await shown();
  await userEvent.keyboard("{Control>}k{/Control}");
  await userEvent.type(await screen.findByRole("combobox"), "Commit…{Enter}");
  const message = await screen.findByRole<HTMLTextAreaElement>("textbox", { name: "Message" });
  await waitFor(() => expect(message.value).toBe("/commit "));
  await waitFor(() => expect(document.activeElement).toBe(message));
  expect(sent(fake, "send_message")).toEqual([]);
});
