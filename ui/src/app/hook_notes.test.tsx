import { act, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it } from "vitest";
import { eventLog } from "../testing/events";
import { createFake } from "../testing/fake";
import { renderOn } from "../testing/render";
import { sessionOf } from "../testing/sessions";
import { App } from "./App";

const lint = {
  hook: "lint",
  event: "PostToolUse",
  callId: "c",
  exitCode: 1,
  outcome: "failed",
  said: "Exit code 1. a.ts: 3 errors\nSee `npm run lint`.",
} as const;

beforeEach(() => {
  Object.assign(window, { innerWidth: 1440, innerHeight: 900 });
});

async function shown(log: ReturnType<typeof eventLog>) {
  const fake = createFake({ sessions: [sessionOf()], logs: { s: log.events } });
  await renderOn(fake, <App />);
  await userEvent.click(screen.getByRole("button", { name: "One" }));
  await screen.findByRole("log", { name: "Transcript" });
  return fake;
}

it("a hook that failed is told in a line on the folded card, and with all its words on the open one", async () => {
  const log = eventLog("s");
  log.add("run.started", { prompt: "go" });
  log.add("tool.call", { callId: "c", toolId: "edit_file", args: { path: "a.ts" }, category: "write" });
  log.add("tool.result", { callId: "c", toolId: "edit_file", result: "Edited." });
  log.add("hook.ran", lint);
  log.add("hook.ran", { ...lint, hook: "fmt", exitCode: 0, outcome: "passed", said: null });
  log.add("run.completed", {});
  await shown(log);
  await screen.findByText("! The hook lint failed: Exit code 1. a.ts: 3 errors …");
  expect(document.body.textContent).not.toContain("fmt");
  await userEvent.click(screen.getByRole("button", { name: /^edit_file/ }));
  await screen.findByText("! The hook lint failed");
  expect(screen.getByRole("group", { name: "! The hook lint failed" }).textContent).toBe(lint.said);
});

it("a hook of another moment that failed is a note, and a failed run can still be resumed", async () => {
  const log = eventLog("s");
  const moment = { ...lint, callId: null, said: "Exit code 1." };
  log.add("hook.ran", { ...moment, hook: "greet", event: "SessionStart" });
  log.add("run.started", { prompt: "go" });
  log.add("run.failed", { code: "PROVIDER_UNREACHABLE", message: "No answer.", retryable: true });
  const fake = await shown(log);
  await screen.findByText("! The hook greet failed: Exit code 1.");
  await screen.findByRole("button", { name: "Resume" });
  log.add("hook.ran", { ...moment, hook: "ping", event: "Notification" }, null);
  act(() => fake.send({ events: log.events.slice(-1) }));
  await screen.findByText("! The hook ping failed: Exit code 1.");
  screen.getByRole("button", { name: "Resume" });
});
