/** "Why was this asked?" wherever a decision of the policy shows: in an approval, in the transcript, in the timeline. */
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { eventLog } from "../testing/events";
import { createFake, type Fake } from "../testing/fake";
import { renderOn, sent } from "../testing/render";
import { sessionOf } from "../testing/sessions";
import { App } from "./App";

async function open(fake: Fake) {
  Object.assign(window, { innerWidth: 1440, innerHeight: 900 });
  await renderOn(fake, <App />);
  await userEvent.click(screen.getByRole("button", { name: "One" }));
}

function stage() {
  const { events, add } = eventLog("s");
  add("session.created");
  add("run.started", { prompt: "go" });
  add("tool.call", { callId: "no", toolId: "run_command", args: { command: "git push" } });
  add("policy.decided", { callId: "no", decision: "deny", rule: "config:rules[1]", reason: "Never push." });
  add("tool.result", { callId: "no", isError: true });
  const decision = events.at(-2);
  add("tool.call", { callId: "c", toolId: "run_command", args: { command: "mytool" } });
  add("policy.decided", { callId: "c", decision: "approval", rule: "category:exec", reason: "It asks." });
  add("approval.requested", {
    approvalId: "a",
    callId: "c",
    toolId: "run_command",
    args: { command: "mytool" },
    rule: "category:exec",
    reason: "Running commands needs your approval.",
  });
  const fake = createFake({
    sessions: [sessionOf({ state: "waiting" })],
    logs: { s: events },
    handlers: {
      explain_decision: () => ({
        trace: {
          decision: "approval",
          rule: "category:exec",
          reason: "It asks.",
          checks: [{ check: "category_default", outcome: "decided" }],
          parts: [],
        },
        rule: null,
      }),
    },
  });
  return { fake, seq: decision?.seq };
}

it("a waiting command says why it waits, and leads to the rules in the settings", async () => {
  const { fake } = stage();
  await open(fake);
  await userEvent.click(await screen.findByRole("button", { name: "Why was this asked?" }));
  const why = await screen.findByRole("group", { name: "Why was this asked?" });
  expect(sent(fake, "explain_decision")).toEqual([{ sessionId: "s", callId: "c", seq: null }]);
  await userEvent.click(await within(why).findByRole("button", { name: "Open rules" }));
  const settings = await screen.findByRole("dialog", { name: "Settings" });
  await waitFor(() =>
    expect(within(settings).getByRole("tab", { name: "Rules" }).getAttribute("aria-selected")).toBe("true"),
  );
});

it("a denied call's card and the decision in the timeline say why", async () => {
  const { fake, seq } = stage();
  await open(fake);
  const transcript = await screen.findByRole("log", { name: "Transcript" });
  await userEvent.click(await within(transcript).findByRole("button", { name: "Why was this denied?" }));
  await within(transcript).findByRole("group", { name: "Why was this denied?" });
  await userEvent.click(screen.getByRole("tab", { name: "Timeline" }));
  const decided = await screen.findAllByRole("button", { name: /^Policy decided/ });
  await userEvent.click(decided.at(-1) as HTMLElement);
  await userEvent.click(await screen.findByRole("button", { name: "Why was this decided?" }));
  await screen.findByRole("group", { name: "Why was this decided?" });
  expect(sent(fake, "explain_decision")).toEqual([
    { sessionId: "s", callId: "no", seq: null },
    { sessionId: "s", callId: "no", seq },
  ]);
});
