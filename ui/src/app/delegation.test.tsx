/** A session and those of its sub-agents: in the list, in the conversation, and what they ask. */
import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { delegatingLog, delegation } from "../testing/delegation_scene";
import { eventLog } from "../testing/events";
import type { Fake } from "../testing/fake";
import { renderOn, sent } from "../testing/render";
import { App } from "./App";

/** The first session to be shown is the one whose sub-agent waits. */
async function open(): Promise<Fake> {
  Object.assign(window, { innerWidth: 1440, innerHeight: 900 });
  const fake = delegation();
  await renderOn(fake, <App />);
  await screen.findByRole("log", { name: "Transcript" });
  return fake;
}

const list = () => screen.getByRole("navigation", { name: "Sessions" });
const rows = () => [...list().querySelectorAll(".session")].map((row) => row.textContent);
const press = (name: string) => userEvent.click(screen.getByRole("button", { name }));
const above = "Move the settings into the database";

describe("a session with sub-agents", () => {
  it("has theirs beneath it while one looks at any of them", async () => {
    await open();
    const beneath = within(list()).getByRole("list", { name: `Sub-agents of ${above}` });
    expect(
      within(beneath)
        .getAllByRole("button")
        .map((row) => row.textContent?.match(/explorer|tester/)?.[0]),
    ).toEqual(["explorer", "tester"]);
    expect(rows()).toHaveLength(4);
    await userEvent.click(within(list()).getByText("Release notes of November"));
    expect(rows()).toHaveLength(2);
    await userEvent.click(within(list()).getByText(above));
    within(list()).getByText("explorer").closest("button")?.focus();
    await userEvent.keyboard("{ArrowDown}{Enter}");
    expect(screen.getByText(/works for/).textContent).toContain(`works for “${above}”`);
    expect(rows()).toHaveLength(4);
  });

  it("shows how each task stands, and leads to its session and back", async () => {
    await open();
    const transcript = screen.getByRole("log", { name: "Transcript" });
    const cards = within(transcript).getAllByRole("button", { name: /^delegate/ });
    expect(cards.map((card) => card.textContent)).toEqual([
      expect.stringMatching(/^delegateexplorerFind out.*✓ done41 s$/),
      expect.stringMatching(/^delegatetesterRun the tests.*!\swaiting for you$/),
    ]);
    await userEvent.click(cards[0] as HTMLElement);
    expect(within(transcript).getByText(/Both could/)).toBeTruthy();
    await userEvent.click(
      within(transcript).getAllByRole("button", { name: "Open sub-agent's session" })[0] as HTMLElement,
    );
    expect(screen.getByText("explorer", { selector: ".parent-note b" })).toBeTruthy();
    const speakers = [...document.querySelectorAll(".speaker > span:first-child")].map(
      (one) => one.textContent,
    );
    expect(speakers).toEqual(["Task", "explorer"]);
    await press("Open parent session");
    expect(screen.queryByText("Open parent session")).toBeNull();
    expect(screen.getByRole("heading", { name: above })).toBeTruthy();
  });

  it("says that a task is worked on in the background, until its result comes", async () => {
    const fake = await open();
    const { events, add } = eventLog("lead");
    const known = events.push(...delegatingLog());
    const args = { agent: "explorer", task: "Look at the tests.", background: true };
    add("tool.call", { callId: "d3", toolId: "delegate", args, category: "read", asyncCallId: "d3" });
    add("subagent.started", { callId: "d3", agent: "explorer", sessionId: "explorer", runId: "run-2" });
    add("tool.result", { callId: "d3", toolId: "delegate", result: "At work.", asyncCallId: "d3" });
    act(() => fake.send({ events: events.slice(known) }));
    expect(await screen.findByText("◐ works in the background")).toBeTruthy();
    const late = add("tool.async_result", {
      asyncCallId: "d3",
      toolId: "delegate",
      result: "None.",
      isError: false,
    });
    act(() => fake.send({ events: [late] }));
    await waitFor(() => expect(screen.queryByText("◐ works in the background")).toBeNull());
    expect(screen.getAllByText("✓ done")).toHaveLength(2);
  });

  it("has what a sub-agent asks decided where it is waited for", async () => {
    const fake = await open();
    const inspector = screen.getByRole("complementary", { name: "Inspector" });
    expect(within(inspector).getByRole("heading", { name: "The sub-agent tester asks" })).toBeTruthy();
    await press("Approve");
    expect(sent(fake, "resolve_approval")).toEqual([
      { approvalId: "tester-1", resolution: expect.objectContaining({ decision: "approve" }) },
    ]);
    const { add } = eventLog("tester");
    const resolved = add("approval.resolved", { approvalId: "tester-1", decision: "approve" });
    act(() => fake.send({ events: [resolved] }));
    expect(await screen.findByText("◐ works")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Approve" })).toBeNull();
    expect(screen.queryByText("The sub-agent tester asks")).toBeNull();
  });

  it("says who goes with it when it is deleted", async () => {
    await open();
    await press("Session menu");
    await userEvent.click(await screen.findByRole("menuitem", { name: /Delete…/ }));
    const dialog = await screen.findByRole("dialog", { name: "Delete this session?" });
    expect(dialog.textContent).toContain("This also deletes the sessions of its 2 sub-agents.");
    await userEvent.click(within(dialog).getByRole("button", { name: "Delete session" }));
    await screen.findByText(/Deleted/);
    expect(rows()).toEqual([expect.stringContaining("Release notes")]);
  });
});
