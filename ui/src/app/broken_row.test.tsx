import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { eventLog } from "../testing/events";
import { createFake } from "../testing/fake";
import { renderOn } from "../testing/render";
import { sessionOf } from "../testing/sessions";
import { App } from "./App";

const broken = vi.hoisted(() => ({ is: true }));
vi.mock("../components/markdown/Markdown", () => ({
  Markdown: ({ text }: { text: string }) => {
    if (broken.is && text.startsWith("bad")) throw new Error("too deep");
    return <p>{text}</p>;
  },
}));
vi.mock("../features/conversation/ToolCard", () => ({
  ToolCard: () => {
    throw new Error("no such tool");
  },
}));

beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => undefined));
afterEach(() => void vi.restoreAllMocks());

it("a row that can't be drawn says so, keeps its words to read and copy, and leaves the others alone", async () => {
  const { events, add } = eventLog("s");
  add("run.started", { prompt: "first" });
  add("output.message", { content: "bad **words**" });
  add("tool.call", { callId: "c", toolId: "write_file", category: "write", args: { path: "a.rs" } });
  add("output.message", { content: "good words" });
  const sessions = [sessionOf({ sessionId: "s", title: "One", state: "done" })];
  // Its own clipboard, which can be read.
  const user = userEvent.setup();
  await renderOn(createFake({ sessions, logs: { s: events } }), <App />);
  await user.click(screen.getByRole("button", { name: "One" }));
  const log = await screen.findByRole("log", { name: "Transcript" });
  const alerts = await within(log).findAllByRole("alert");
  expect(alerts.map((one) => one.textContent)).toEqual([
    expect.stringContaining("This row can't be shown: too deep"),
    expect.stringContaining("This row can't be shown: no such tool"),
  ]);
  for (const words of ["first", "bad **words**", "good words"])
    expect(within(log).getByText(words)).toBeTruthy();
  expect(within(log).getByText(/"path": "a.rs"/)).toBeTruthy();
  const row = within(log).getByText("bad **words**").closest<HTMLElement>(".row");
  if (!row) throw new Error("no row");
  await user.click(within(row).getByRole("button", { name: "Copy text" }));
  expect(await navigator.clipboard.readText()).toBe("bad **words**");
  broken.is = false;
  await user.click(within(row).getByRole("button", { name: "Try again" }));
  await waitFor(() => expect(within(row).queryByRole("alert")).toBeNull());
});
