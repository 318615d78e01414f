/** When the inspector is open: for what it has to show, and as the user wants it. */
import { act, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { eventLog } from "../testing/events";
import { createFake, type Fake } from "../testing/fake";
import { renderOn } from "../testing/render";
import { previewOf, renameDiff } from "../testing/scenes";
import { sessionOf } from "../testing/sessions";
import { App } from "./App";

const session = (sessionId: string, title: string) => sessionOf({ sessionId, title });

type Log = ReturnType<typeof eventLog>;

function asks(log: Log, approvalId: string) {
  const preview = previewOf(renameDiff);
  return log.add("approval.requested", { approvalId, callId: approvalId, toolId: "edit_file", preview });
}
const approved = (log: Log, approvalId: string) => log.add("approval.resolved", { approvalId });

/** Wide enough for three columns; jsdom's own window is not. */
async function open(fake: Fake, innerWidth = 1440) {
  Object.assign(window, { innerWidth, innerHeight: 900 });
  return renderOn(fake, <App />);
}
const press = async (name: string) => userEvent.click(screen.getByRole("button", { name }));
/** While it is closed over something, its tabs stand in a rail and none is chosen. */
const isOpen = () => screen.queryByRole("tab", { selected: true }) !== null;
const hasRail = () => screen.queryAllByRole("tab").length > 0 && !isOpen();
const opens = () => waitFor(() => expect(isOpen()).toBe(true));
const closes = () => waitFor(() => expect(isOpen()).toBe(false));

/** "One" has only been talked in. */
function talkedIn() {
  const log = eventLog("s");
  log.add("run.started", { prompt: "Hello" });
  const other = eventLog("t");
  const sessions = [session("s", "One"), session("t", "Other")];
  const fake = createFake({ sessions, logs: { s: log.events.slice(), t: other.events.slice() } });
  return { log, other, fake };
}

describe("the inspector", () => {
  it("is closed without a folder, in a new session, and in one that was only talked in", async () => {
    const { unmount } = await open(createFake({ app: { project: null } }));
    expect(isOpen()).toBe(false);
    unmount();
    await open(talkedIn().fake);
    expect(isOpen()).toBe(false);
    await press("One");
    await screen.findByText("Hello");
    expect(isOpen()).toBe(false);
  });

  it.each([
    ["a changed file", (log: Log) => log.add("file.changed", { path: "a.txt" })],
    ["a plan", (log: Log) => log.add("plan.proposed", { steps: [{ title: "Read", state: "pending" }] })],
  ])("is open for %s, and closed again in a session without", async (_, has) => {
    const { log, fake } = talkedIn();
    const made = has(log);
    await open(fake);
    await act(async () => fake.send({ events: [made] }));
    await press("One");
    await opens();
    await press("Other");
    await closes();
  });

  it("opens for a decision, and stays once it is made", async () => {
    const { log, fake } = talkedIn();
    await open(fake);
    await press("One");
    await act(async () => fake.send({ events: [asks(log, "a")] }));
    await opens();
    await act(async () => fake.send({ events: [approved(log, "a")] }));
    await screen.findByText("Nothing waits");
    expect(isOpen()).toBe(true);
    await press("New session");
    expect(isOpen()).toBe(false);
  });

  it("is as wide as a diff wants only where it shows lines", async () => {
    const { log, fake } = talkedIn();
    await open(fake, 2560);
    await press("One");
    await act(async () =>
      fake.send({
        events: [log.add("approval.requested", { approvalId: "r", callId: "r", toolId: "run_command" })],
      }),
    );
    await opens();
    const width = () => screen.getByRole("complementary", { name: "Inspector" }).parentElement?.style.width;
    expect(width()).toBe("560px");
    await act(async () => fake.send({ events: [asks(log, "a")] }));
    await waitFor(() => expect(width()).toBe("1440px"));
    await act(async () => fake.send({ events: [approved(log, "a"), approved(log, "r")] }));
    await screen.findByText("Nothing waits");
    expect(width()).toBe("1440px");
    await userEvent.click(screen.getByRole("tab", { name: "Plan" }));
    expect(width()).toBe("560px");
  });

  it("leaves a rail where it is closed over something, and nothing where there is nothing", async () => {
    const { log, fake } = talkedIn();
    await open(fake);
    await press("One");
    await screen.findByText("Hello");
    expect(hasRail()).toBe(false);
    await act(async () => fake.send({ events: [asks(log, "a")] }));
    await opens();
    await press("Hide inspector");
    await waitFor(() => expect(hasRail()).toBe(true));
    await press("New session");
    expect(hasRail()).toBe(false);
  });

  it.each([1440, 900])(
    "closed over a decision, it opens for the next one alone, %i px wide",
    async (width) => {
      const { log, fake } = talkedIn();
      await open(fake, width);
      await press("One");
      await act(async () => fake.send({ events: [asks(log, "a")] }));
      await opens();
      await press("Hide inspector");
      await press("Other");
      await press("One");
      expect(isOpen()).toBe(false);
      await act(async () => fake.send({ events: [asks(log, "b")] }));
      await opens();
    },
  );

  it("leads to a decision where the user asks for it", async () => {
    const { log, fake } = talkedIn();
    await open(fake);
    await press("One");
    await act(async () => fake.send({ events: [asks(log, "a")] }));
    await opens();
    await press("Hide inspector");
    await press("New session");
    await userEvent.keyboard("{Control>}j{/Control}");
    await opens();
    await press("New session");
    expect(isOpen()).toBe(false);
  });

  it("stays as the user left it, also for the next window", async () => {
    const { unmount } = await open(talkedIn().fake);
    await userEvent.keyboard("{Control>}2{/Control}");
    expect(isOpen()).toBe(false);
    await press("One");
    await userEvent.keyboard("{Control>}2{/Control}");
    expect(isOpen()).toBe(true);
    await press("New session");
    expect(isOpen()).toBe(true);
    unmount();
    const { log, fake } = talkedIn();
    const again = await open(fake);
    expect(isOpen()).toBe(true);
    await press("Hide inspector");
    again.unmount();
    log.add("file.changed", { path: "a.txt" });
    await open(createFake({ sessions: [session("s", "One")], logs: { s: log.events } }));
    await press("One");
    await screen.findByText("Hello");
    expect(isOpen()).toBe(false);
  });

  it("is there for a replay", async () => {
    await open(talkedIn().fake);
    await press("One");
    await press("Session menu");
    await userEvent.click(await screen.findByText("Replay"));
    expect(await screen.findByRole("slider", { name: "Moment" })).toBeTruthy();
    expect(isOpen()).toBe(true);
  });
});
