import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { models } from "../testing/configured";
import { eventLog } from "../testing/events";
import { createFake } from "../testing/fake";
import { renderOn, sent } from "../testing/render";
import { sessionOf } from "../testing/sessions";
import { App } from "./App";

const session = sessionOf();

it("a session's settings open with their key and from the message box, which shows the session's own model", async () => {
  Object.assign(window, { innerWidth: 1440, innerHeight: 900 });
  const { events, add } = eventLog("s");
  add("session.created");
  const overviews = { s: { model: "demo/echo", effort: "high" } };
  const given = { sessions: [session], logs: { s: events }, models, history: { overviews } };
  await renderOn(createFake(given), <App />);
  expect(screen.queryByRole("button", { name: "Session settings" })).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "One" }));
  expect(await screen.findByRole("combobox", { name: "Model: demo/echo" })).toBeTruthy();
  const button = screen.getByRole("button", { name: "Session settings" });
  expect(button.textContent).toBe("high");
  await userEvent.click(button);
  await screen.findByRole("dialog", { name: "Session settings" });
  await userEvent.keyboard("{Escape}");
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  await userEvent.keyboard("{Control>}{Shift>}s{/Shift}{/Control}");
  await screen.findByRole("dialog", { name: "Session settings" });
  await userEvent.click(await screen.findByRole("button", { name: "Choose tools…" }));
  expect(await screen.findByRole("dialog", { name: "Tools of this session" })).toBeTruthy();
});

it("a model chosen for the next message goes with each message until the session's own is wanted", async () => {
  Object.assign(window, { innerWidth: 1440, innerHeight: 900 });
  const { events, add } = eventLog("s");
  add("session.created");
  const fake = createFake({ sessions: [session], logs: { s: events }, models });
  await renderOn(fake, <App />);
  await userEvent.click(screen.getByRole("button", { name: "One" }));
  await userEvent.keyboard("{Control>}k{/Control}");
  await userEvent.type(await screen.findByRole("combobox"), "Use demo/echo{Enter}");
  await userEvent.click(await screen.findByRole("button", { name: "Session settings" }));
  await userEvent.click(await screen.findByRole("button", { name: "Use this one" }));
  await userEvent.click(screen.getByRole("button", { name: "Done" }));
  await userEvent.type(screen.getByRole("textbox", { name: "Message" }), "Go on{Enter}");
  expect(sent(fake, "send_message")).toMatchObject([{ options: { model: null } }]);
});
