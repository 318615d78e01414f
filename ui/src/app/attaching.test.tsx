import { createEvent, fireEvent, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { createFake, demoProject, fail } from "../testing/fake";
import { renderOn, sent } from "../testing/render";
import { App } from "./App";

vi.mock("../features/conversation/pictures/raster", () => ({
  thumbnailOf: async (address: string) => address,
  scaledDown: async (address: string) => address,
}));

function pasteInto(box: HTMLElement, text: string) {
  const files = [new File([text], "image.png", { type: "image/png" })];
  fireEvent(box, createEvent.paste(box, { clipboardData: { files, getData: () => "" } }));
}

it("pictures go with the message, and stay where it could not be sent", async () => {
  Object.assign(window, { innerWidth: 1440, innerHeight: 900 });
  let isBlind = true;
  const fake = createFake({
    handlers: {
      send_message: () =>
        isBlind
          ? fail("USAGE", "openai/gpt-5.1 can't see pictures.")
          : { sessionId: "new", runId: "r", messageId: null },
    },
  });
  await renderOn(fake, <App />);
  const box = screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Message" });
  pasteInto(box, "300x100");
  await screen.findByRole("list", { name: "Attached pictures" });
  await userEvent.type(box, "What is it?{Enter}");
  expect(await screen.findByText("openai/gpt-5.1 can't see pictures.")).toBeTruthy();
  expect(box.value).toBe("What is it?");
  expect(screen.getByRole("list", { name: "Attached pictures" })).toBeTruthy();

  isBlind = false;
  await userEvent.type(box, "{Enter}");
  await waitFor(() => expect(sent(fake, "send_message")).toHaveLength(2));
  expect(sent(fake, "send_message")[1]).toMatchObject({
    to: { folder: demoProject.path, sessionId: null },
    text: "What is it?",
    pictures: [btoa("300x100")],
    mode: null,
  });
  await waitFor(() => expect(screen.queryByRole("list", { name: "Attached pictures" })).toBeNull());
  await userEvent.click(screen.getByRole("button", { name: "New session" }));
  expect(screen.queryByRole("list", { name: "Attached pictures" })).toBeNull();
});
