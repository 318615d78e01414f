import { createEvent, fireEvent, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { eventLog } from "../testing/events";
import { createFake, demoProject, fail } from "../testing/fake";
import { preview } from "../testing/history_scenes";
import { renderOn, sent } from "../testing/render";
import { sessionOf } from "../testing/sessions";
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

it("the pictures of a message that is edited are attached again, but for those that are gone", async () => {
  Object.assign(window, { innerWidth: 1440, innerHeight: 900 });
  const log = eventLog("s");
  const options = { approve: "ask", maxTurns: null, maxSeconds: null, maxCostUsd: null } as const;
  const images = ["a", "b"].map((one) => ({ mediaType: "image/png", contentHash: one.repeat(64) }));
  log.add("run.started", { prompt: "What is it?", options: { ...options, images } });
  const fake = createFake({
    sessions: [sessionOf({ sessionId: "s", title: "One", state: "done" })],
    logs: { s: log.events },
    history: { preview },
    handlers: {
      sent_picture: ({ contentHash }) =>
        contentHash.startsWith("a") ? `data:image/png;base64,${btoa("300x100")}` : null,
    },
  });
  await renderOn(fake, <App />);
  await userEvent.click(screen.getByRole("button", { name: "One" }));
  await userEvent.click(await screen.findByRole("button", { name: "Edit and resend" }));
  await userEvent.click(await screen.findByRole("button", { name: "Rewind and edit" }));
  const attached = await screen.findByRole("list", { name: "Attached pictures" });
  expect(attached.textContent).toContain("Picture 1 of 2");
  expect(await screen.findByText("Picture 2 of 2: The picture is no longer kept.")).toBeTruthy();
  const box = screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Message" });
  await userEvent.type(box, " And where?{Enter}");
  await waitFor(() =>
    expect(sent(fake, "send_message")).toMatchObject([
      { text: "What is it? And where?", pictures: [btoa("300x100")] },
    ]),
  );
});

it("a fork from a message has its words and pictures to send", async () => {
  Object.assign(window, { innerWidth: 1440, innerHeight: 900 });
  const log = eventLog("s");
  const options = { approve: "ask", maxTurns: null, maxSeconds: null, maxCostUsd: null } as const;
  log.add("run.started", {
    prompt: "What is it?",
    options: { ...options, images: [{ mediaType: "image/png", contentHash: "a".repeat(64) }] },
  });
  const fake = createFake({
    sessions: [sessionOf({ sessionId: "s", title: "One", state: "done" })],
    logs: { s: log.events },
    handlers: { sent_picture: () => `data:image/png;base64,${btoa("300x100")}` },
  });
  await renderOn(fake, <App />);
  await userEvent.click(screen.getByRole("button", { name: "One" }));
  await userEvent.click(await screen.findByRole("button", { name: "More about this message" }));
  await userEvent.click(await screen.findByRole("menuitem", { name: /^Fork from here/ }));
  await waitFor(() => expect(sent(fake, "fork_session")).toHaveLength(1));
  const attached = await screen.findByRole("list", { name: "Attached pictures" });
  expect(attached.textContent).toContain("Picture 1 of 1");
  expect(sent(fake, "sent_picture").at(-1)).toEqual({ sessionId: "s", contentHash: "a".repeat(64) });
});
