import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { eventLog } from "../testing/events";
import { createFake } from "../testing/fake";
import { renderOn } from "../testing/render";
import { sessionOf } from "../testing/sessions";
import { App } from "./App";

vi.mock("../features/conversation/pictures/raster", () => ({ thumbnailOf: async () => "data:," }));

it("a dialog that a part opens by itself keeps the keys to itself as well", async () => {
  Object.assign(window, { innerWidth: 1440, innerHeight: 900 });
  const { events, add } = eventLog("s");
  const images = [{ mediaType: "image/png", contentHash: "h", size: { width: 4, height: 3 } }];
  add("run.started", {
    prompt: "See this",
    options: { approve: "ask", maxTurns: null, maxSeconds: null, maxCostUsd: null, images },
  });
  const sessions = [sessionOf({ sessionId: "s", title: "One", state: "done" })];
  await renderOn(
    createFake({ sessions, logs: { s: events }, handlers: { sent_picture: () => "data:," } }),
    <App />,
  );
  await userEvent.click(screen.getByRole("button", { name: "One" }));
  const picture = await screen.findByRole("button", { name: "Picture 1 of 1: show it large" });
  await userEvent.click(picture);
  const dialog = await screen.findByRole("dialog", { name: "Picture 1 of 1" });
  await userEvent.keyboard("{Control>}k{/Control}{Control>},{/Control}");
  expect(screen.getAllByRole("dialog")).toEqual([dialog]);
  await userEvent.keyboard("{Escape}");
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  await waitFor(() => expect(document.activeElement).toBe(picture));
});
