import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { MenuBeside } from "../../components/Menu";
import { ArkiProvider } from "../../platform/context";
import type { SessionSummary } from "../../protocol/generated";
import { eventLog } from "../../testing/events";
import { createFake, demoProject } from "../../testing/fake";
import { renderOn, sent } from "../../testing/render";
import type { MenuOf } from "./SessionList";
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

type Given = Parameters<typeof createFake>[0] & { selected?: string; renaming?: string; menuOf?: MenuOf };

async function shown(given: Given) {
  const fake = createFake(given);
  const none = () => {};
  const handlers = {
    onSelect: none,
    onNew: none,
    onOpenFolder: none,
    onInbox: none,
    onInboxList: none,
    onMemory: none,
    onPipelines: none,
  };
  const list = (now: Pick<Given, "selected" | "renaming">) => (
    <Sessions
      folder="/code/arki"
      selected={now.selected ?? null}
      filterRef={null}
      renaming={now.renaming ?? null}
      onRenaming={none}
      onSettings={none}
      menuOf={given.menuOf}
      {...handlers}
    />
  );
  const { arki, rerender } = await renderOn(fake, list(given));
  const turnTo = (now: Parameters<typeof list>[0]) =>
    rerender(<ArkiProvider value={arki}>{list(now)}</ArkiProvider>);
  return { fake, turnTo };
}
const titles = () =>
  [...document.querySelectorAll<HTMLElement>(".session .grow")].map((row) => row.textContent);
const wholeDescription = (row: HTMLElement) =>
  document.getElementById(row.getAttribute("aria-describedby") ?? "")?.textContent;
const describedBy = (row: HTMLElement) => wholeDescription(row)?.replace(/, last used .*$/, "");

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
    await waitFor(() => expect(describedBy(row)).toBe("done, 1 changed file, 12 lines added, 4 removed"));
    expect(row.textContent).toBe("Title a");
    await userEvent.hover(row);
    expect(row.title).toContain("12 lines added, 4 removed");
    expect(sent(fake, "session_lines")).toEqual([{ sessionIds: ["a", "b"] }]);
    added = 13;
    const changed = eventLog("a").add("file.changed", { path: "x" });
    fake.send({ events: [{ ...changed, seq: 9 }] });
    await waitFor(() => expect(row.title).toContain("13 lines added, 4 removed"));
  });

  it("marks what runs, waits, failed or is unread, and nothing else", async () => {
    const states = ["done", "idle", "cancelled", "running", "waiting", "failed"] as const;
    const sessions = states.map((state) => session(state, { state }));
    const { fake, turnTo } = await shown({ sessions });
    const marks = () => [...document.querySelectorAll(".session .glyph")].map((mark) => mark.textContent);
    expect(marks()).toEqual(["", "", "", "◐", "!", "✕"]);
    fake.send({ events: [eventLog("running").add("run.completed")] });
    // It is listed under another day, by when it ended.
    const row = () => screen.getByRole("button", { name: "Title running" });
    const mark = () => row().querySelector(".glyph")?.textContent;
    await waitFor(() => expect(describedBy(row())).toBe("done, unread"));
    expect(mark()).toBe("•");
    turnTo({ selected: "running" });
    await waitFor(() => expect(mark()).toBe(""));
    expect(wholeDescription(row())).toMatch(/, last used \S+/);
  });

  it("has a menu of each row by keyboard, from which Escape leads back to it", async () => {
    const renamed: string[] = [];
    const menuOf: MenuOf = ({ session, row, onClose }) => (
      <MenuBeside
        label="Session menu"
        beside={row}
        actions={[
          { label: "Rename…", run: () => renamed.push(session.sessionId) },
          { label: "Delete…", run: () => {} },
        ]}
        onClose={onClose}
      />
    );
    await shown({ sessions: [session("a"), session("b")], menuOf });
    const row = screen.getByRole("button", { name: "Title b" });
    row.focus();
    await userEvent.keyboard("{Shift>}{F10}{/Shift}");
    await screen.findByRole("menu", { name: "Session menu" });
    await userEvent.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByRole("menu")).toBeNull());
    await waitFor(() => expect(document.activeElement).toBe(row));
    await userEvent.keyboard("{ContextMenu}");
    await screen.findByRole("menu");
    await userEvent.keyboard("{ArrowDown}");
    await userEvent.click(screen.getByRole("menuitem", { name: "Rename…" }));
    await waitFor(() => expect(renamed).toEqual(["b"]));
  });

  it("has the same menu by the pointer, whose button covers no title", async () => {
    const menuOf: MenuOf = ({ session, row, onClose }) => (
      <MenuBeside
        label={`Menu of ${session.sessionId}`}
        beside={row}
        actions={[{ label: "Archive", run: () => {} }]}
        onClose={onClose}
      />
    );
    await shown({ sessions: [session("a"), session("b")], menuOf });
    await userEvent.hover(screen.getByRole("button", { name: "Title b" }));
    expect(screen.queryByRole("button", { name: "Menu of Title a" })).toBeNull();
    await userEvent.click(screen.getByRole("button", { name: "Menu of Title b" }));
    await screen.findByRole("menu", { name: "Menu of b" });
  });

  it("shows a renamed row as if nobody pointed at it, whose pointer has left meanwhile", async () => {
    const { turnTo } = await shown({ sessions: [session("a")] });
    await userEvent.hover(screen.getByRole("button", { name: "Title a" }));
    expect(screen.getByRole("button", { name: "Menu of Title a" })).toBeTruthy();
    turnTo({ renaming: "a" });
    turnTo({});
    expect(screen.queryByRole("button", { name: "Menu of Title a" })).toBeNull();
  });

  it("has a worktree without a session under its project", async () => {
    const project = "/code/other";
    const worktree = { project, branch: "feature" };
    await shown({ app: { project: { ...demoProject, path: "/code/arki", worktree } } });
    expect(await screen.findByRole("region", { name: "other" })).toBeTruthy();
    expect(screen.queryByRole("region", { name: "arki" })).toBeNull();
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
      askedAt: 0,
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

  it("brings a session that becomes the shown one in sight, and leaves the list to the user after that", async () => {
    const sight = vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(600);
    const sessions = Array.from({ length: 10_000 }, (_, at) => session(`${at}`));
    const { turnTo, fake } = await shown({ sessions, selected: "5000" });
    const list = document.querySelector<HTMLElement>(".sessions-list");
    if (!list) throw new Error("no list");
    fireEvent.scroll(list);
    expect(screen.getByRole("button", { name: /^.*Title 5000/, current: true })).toBeTruthy();
    const before = list.scrollTop;
    turnTo({ selected: "5001" });
    // It is in sight already.
    expect(list.scrollTop).toBe(before);
    turnTo({ selected: "9000" });
    fireEvent.scroll(list);
    expect(screen.getByRole("button", { name: /Title 9000/, current: true })).toBeTruthy();
    list.scrollTop = 0;
    fireEvent.scroll(list);
    act(() => fake.send({ events: [eventLog("9000").add("session.configured", { title: "Other" })] }));
    expect(list.scrollTop).toBe(0);
    sight.mockRestore();
  });

  it("draws the session that is renamed wherever one looks, and brings it in sight once", async () => {
    const sight = vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(600);
    const sessions = Array.from({ length: 10_000 }, (_, at) => session(`${at}`));
    const { turnTo } = await shown({ sessions });
    turnTo({ renaming: "5000" });
    const title = screen.getByRole<HTMLInputElement>("textbox", { name: "Title" });
    expect(title.value).toBe("Title 5000");
    const list = title.closest<HTMLElement>(".sessions-list");
    if (!list) throw new Error("no list");
    expect(list.scrollTop).toBeGreaterThan(1000);
    await userEvent.type(title, " and more");
    list.scrollTop = 0;
    fireEvent.scroll(list);
    expect(titles()).toContain("Title 0");
    expect(titles().length).toBeLessThan(200);
    expect(screen.getByRole("textbox", { name: "Title" })).toBe(title);
    sight.mockRestore();
  });

  it("gives the filter up for a session that is renamed and doesn't fit it", async () => {
    const sessions = [
      session("a"),
      session("z", { archived: true }),
      ...["b", "c", "d"].map((id) => session(id)),
    ];
    const { turnTo } = await shown({ sessions });
    const filter = screen.getByRole<HTMLInputElement>("searchbox", { name: "Filter sessions" });
    await userEvent.type(filter, "title b");
    turnTo({ renaming: "b" });
    expect(filter.value).toBe("title b");
    turnTo({ renaming: "a" });
    expect(filter.value).toBe("");
    expect(screen.getByRole<HTMLInputElement>("textbox", { name: "Title" }).value).toBe("Title a");
    turnTo({ renaming: "z" });
    expect(screen.getByRole<HTMLInputElement>("textbox", { name: "Title" }).value).toBe("Title z");
  });
});
