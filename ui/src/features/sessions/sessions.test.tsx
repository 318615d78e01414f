import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import type { SessionSummary } from "../../protocol/generated";
import { eventLog } from "../../testing/events";
import { createFake } from "../../testing/fake";
import { renderOn, sent } from "../../testing/render";
import { Sessions } from "./Sessions";

const session = (sessionId: string, more: Partial<SessionSummary> = {}): SessionSummary => ({
  sessionId,
  title: `Title ${sessionId}`,
  project: "/code/arki",
  createdAt: 0,
  updatedAt: Date.now(),
  state: "done",
  pendingApprovals: 0,
  origin: null,
  parent: null,
  agent: "arki",
  pinned: false,
  archived: false,
  ...more,
});

async function shown(given: Parameters<typeof createFake>[0]) {
  const fake = createFake(given);
  const onMark = vi.fn();
  const none = () => {};
  const handlers = {
    onSelect: none,
    onNew: none,
    onOpenFolder: none,
    onInbox: none,
    onMemory: none,
    onPipelines: none,
  };
  await renderOn(
    fake,
    <Sessions
      folder="/code/arki"
      selected={null}
      filterRef={null}
      renaming={null}
      onRenaming={none}
      onMark={onMark}
      onSettings={none}
      {...handlers}
    />,
  );
  return { fake, onMark };
}
const titles = () =>
  [...document.querySelectorAll<HTMLElement>(".session .grow")].map((row) => row.textContent);
const describedBy = (row: HTMLElement) =>
  document.getElementById(row.getAttribute("aria-describedby") ?? "")?.textContent;

describe("the list of sessions", () => {
  it("tells how many lines each changed, and anew once it changed more", async () => {
    let added = 12;
    const { fake } = await shown({
      sessions: [session("a"), session("b")],
      handlers: {
        session_lines: ({ sessionIds }) =>
          sessionIds.includes("a") ? [{ sessionId: "a", files: 1, added, removed: 4 }] : [],
      },
    });
    const row = await screen.findByRole("button", { name: /Title a/ });
    await waitFor(() => expect(row.textContent).toContain("+12−4"));
    expect(describedBy(row)).toBe("done, 1 changed file, 12 lines added, 4 removed");
    expect(sent(fake, "session_lines")).toEqual([{ sessionIds: ["a", "b"] }]);
    added = 13;
    const changed = eventLog("a").add("file.changed", { path: "x" });
    fake.send({ events: [{ ...changed, seq: 9 }] });
    await waitFor(() => expect(row.textContent).toContain("+13−4"));
  });

  it("pins and archives by the pointer", async () => {
    const { onMark } = await shown({ sessions: [session("a"), session("p", { pinned: true })] });
    const pinned = screen.getByRole("region", { name: "Pinned" });
    // They show while the pointer is over the row.
    const hidden = true;
    await userEvent.click(within(pinned).getByRole("button", { name: "Unpin Title p", hidden }));
    await userEvent.click(screen.getByRole("button", { name: "Archive Title a", hidden }));
    expect(onMark.mock.calls).toEqual([
      ["p", { pinned: false, archived: null }],
      ["a", { pinned: null, archived: true }],
    ]);
  });

  it("is filtered by words and by state, and Escape shows all again", async () => {
    const sessions = [
      session("a"),
      session("b", { state: "failed" }),
      session("c", { archived: true }),
      ...["d", "e", "f"].map((id) => session(id)),
    ];
    await shown({ sessions });
    expect(titles()).toEqual(["Title a", "Title b", "Title d", "Title e", "Title f"]);
    await userEvent.click(screen.getByRole("button", { name: "Sessions shown: All but archived" }));
    await userEvent.click(await screen.findByRole("menuitemradio", { name: "Stopped half-way" }));
    expect(titles()).toEqual(["Title b"]);
    await userEvent.type(screen.getByRole("searchbox", { name: "Filter sessions" }), "nothing");
    expect(screen.getByText("No session fits")).toBeTruthy();
    await userEvent.keyboard("{Escape}");
    expect(titles()).toHaveLength(5);
  });

  it("shows what waits for the user: a server's question, and what a sub-agent asks in its parent", async () => {
    const asks = eventLog("sub").add("approval.requested", {
      approvalId: "x",
      callId: "c",
      toolId: "edit_file",
      args: {},
      risk: "low",
      reason: "writes ask",
    });
    const elicitation = {
      id: 1,
      server: "s",
      project: "/code/arki",
      message: "Who?",
      page: null,
      fields: [],
    };
    await shown({
      sessions: [
        session("a", { state: "running" }),
        session("b", { state: "running" }),
        session("parent", { state: "running" }),
        session("sub", { state: "waiting", parent: "parent" }),
        session("c"),
      ],
      logs: { sub: [asks] },
      elicitations: [{ ...elicitation, sessionId: "a" }],
    });
    await userEvent.click(screen.getByRole("button", { name: /^Sessions shown/ }));
    await userEvent.click(await screen.findByRole("menuitemradio", { name: "Waiting for you" }));
    expect(titles()).toEqual(["Title a", "Title parent"]);
    expect(describedBy(screen.getByRole("button", { name: /Title parent/ }))).toBe(
      "waiting for you, 1 pending approval, 1 sub-agent",
    );
  });

  it("draws only what is in sight of ten thousand", async () => {
    const sight = vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(600);
    const sessions = Array.from({ length: 10_000 }, (_, at) => session(`${at}`));
    await shown({ sessions });
    expect(titles().length).toBeGreaterThan(20);
    expect(titles().length).toBeLessThan(200);
    const filter = screen.getByRole("searchbox", { name: "Filter sessions" });
    await userEvent.type(filter, "title 9999");
    expect(titles()).toEqual(["Title 9999"]);
    sight.mockRestore();
  });
});
