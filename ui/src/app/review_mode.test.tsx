/** The diff in the main column, and the conversation beside it. */
import { act, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it } from "vitest";
import { eventLog } from "../testing/events";
import { createFake } from "../testing/fake";
import { renderOn } from "../testing/render";
import { previewOf, renameDiff } from "../testing/scenes";
import { sessionOf } from "../testing/sessions";
import { App } from "./App";

afterEach(() => localStorage.clear());

const sessions = [sessionOf({ sessionId: "s", title: "One" })];
const separator = (of: string) => screen.queryByRole("separator", { name: `Width of the ${of}` });
const isOn = () => separator("conversation") !== null;
const switched = () => userEvent.keyboard("{Control>}{Shift>}r{/Shift}{/Control}");
const onHunk = () => waitFor(() => expect(document.activeElement?.matches(".hunk.open")).toBe(true));

async function asked(innerWidth = 1440, session: "shown" | "listed" = "listed") {
  Object.assign(window, { innerWidth, innerHeight: 900 });
  const log = eventLog("s");
  const preview = previewOf(renameDiff);
  log.add("run.started", { prompt: "Hello" });
  log.add("approval.requested", { approvalId: "a", callId: "a", toolId: "edit_file", preview });
  const shown = await renderOn(createFake({ sessions, logs: { s: log.events } }), <App />);
  if (session === "listed") await userEvent.click(screen.getByRole("button", { name: "One" }));
  await screen.findByText("Hello");
  return shown;
}

it("is entered and left with a key, with the decision under the fingers and the message box at hand", async () => {
  await asked();
  expect(separator("inspector")).toBeTruthy();
  await switched();
  await onHunk();
  expect(isOn()).toBe(true);
  expect(separator("inspector")).toBeNull();
  // The sessions give way too; they come over it as a drawer.
  expect(screen.queryByRole("navigation", { name: "Sessions" })).toBeNull();
  const message = screen.getByRole("textbox", { name: "Message" });
  await userEvent.type(message, "and then");
  expect(message).toHaveProperty("value", "and then");
  await switched();
  expect(isOn()).toBe(false);
  expect(message).toHaveProperty("value", "and then");
  expect(screen.getByRole("navigation", { name: "Sessions" })).toBeTruthy();
});

it("is one step: Escape leads out of it first, and then to the message", async () => {
  await asked();
  await switched();
  await onHunk();
  await userEvent.keyboard("{Control>}b{/Control}");
  expect(screen.getByRole("navigation", { name: "Sessions" })).toBeTruthy();
  await userEvent.keyboard("{Escape}");
  expect(screen.queryByRole("navigation", { name: "Sessions" })).toBeNull();
  expect(isOn()).toBe(true);
  await userEvent.keyboard("{Escape}");
  expect(isOn()).toBe(false);
  await switched();
  await onHunk();
  await userEvent.keyboard("{Escape}");
  await onHunk();
  await userEvent.keyboard("{Escape}");
  expect(document.activeElement?.getAttribute("aria-label")).toBe("Message");
});

it("has a button, and is as it was in the next window", async () => {
  const { unmount } = await asked();
  await userEvent.click(await screen.findByRole("button", { name: "Review mode" }));
  const button = screen.getByRole("button", { name: "Review mode" });
  expect(button.getAttribute("aria-pressed")).toBe("true");
  expect(button.title).toBe("Review mode (Ctrl+Shift+R)");
  unmount();
  // The session that waits is shown at once; the list of sessions has given way.
  await asked(1440, "shown");
  await waitFor(() => expect(isOn()).toBe(true));
  await userEvent.click(screen.getByRole("button", { name: "Hide inspector" }));
  expect(isOn()).toBe(false);
});

it("leaves the conversation the window where there is nothing to review, and comes back with it", async () => {
  await asked();
  await switched();
  await onHunk();
  await act(async () => userEvent.keyboard("{Control>}n{/Control}"));
  await screen.findByText("New session", { selector: "h2" });
  expect(isOn()).toBe(false);
});

it("is a sheet in a narrow window", async () => {
  await asked(720);
  await switched();
  await onHunk();
  expect(document.querySelector<HTMLElement>(".sheet")?.style.width).toBe("720px");
  await userEvent.keyboard("{Escape}");
  expect(document.querySelector<HTMLElement>(".sheet")?.style.width).toBe("420px");
});
