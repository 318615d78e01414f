/** Why a message was not sent stands in the session it was for, and in no other. */
import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { eventLog } from "../testing/events";
import { createFake, fail } from "../testing/fake";
import { renderOn } from "../testing/render";
import { sessionOf } from "../testing/sessions";
import { App } from "./App";

it("a send error stays with its session", async () => {
  Object.assign(window, { innerWidth: 1440, innerHeight: 900 });
  const fake = createFake({
    sessions: [sessionOf({ title: "One" }), sessionOf({ sessionId: "t", title: "Other" })],
    logs: { s: eventLog("s").events, t: eventLog("t").events },
    handlers: { send_message: () => fail("SESSION_BUSY", "Another Arki works on it.") },
  });
  await renderOn(fake, <App />);
  await userEvent.click(screen.getByRole("button", { name: "One" }));
  await userEvent.type(await screen.findByRole("textbox", { name: "Message" }), "Hello{Enter}");
  await screen.findByText("Another Arki works on it.");
  await userEvent.click(screen.getByRole("button", { name: "Other" }));
  await waitFor(() => expect(screen.queryByText("Another Arki works on it.")).toBeNull());
  await userEvent.click(screen.getByRole("button", { name: "One" }));
  expect(await screen.findByText("Another Arki works on it.")).toBeTruthy();
});
