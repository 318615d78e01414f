import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { memories } from "../../testing/context_scene";
import { createFake, fail } from "../../testing/fake";
import { renderOn, sent } from "../../testing/render";
import { MemoryPlace } from "./MemoryPlace";

const session = {
  sessionId: "s-review",
  title: "Rename the widget API",
  project: "/home/ada/code/arki",
  createdAt: 0,
  updatedAt: 0,
  state: "done",
  pendingApprovals: 0,
  origin: null,
  parent: null,
  agent: "arki",
  pinned: false,
  archived: false,
} as const;

async function open(given: Parameters<typeof createFake>[0] = {}) {
  const fake = createFake({ sessions: [session], memory: memories, ...given });
  const does = { onSession: vi.fn(), onSettings: vi.fn() };
  await renderOn(fake, <MemoryPlace folder="/home/ada/code/arki" open {...does} />);
  await screen.findByRole("region", { name: "Memory" });
  return { fake, ...does };
}
const rows = (list: string) => {
  const found = screen.queryByRole("list", { name: list });
  return found ? within(found).queryAllByRole("listitem") : [];
};
const button = (row: HTMLElement | undefined, name: string) =>
  within(row as HTMLElement).getByRole("button", { name });

describe("the review of memories", () => {
  it("shows what is proposed, for what, and leads to the session that it comes from", async () => {
    const { onSession } = await open();
    await waitFor(() => expect(rows("To review")).toHaveLength(2));
    expect(rows("To review").map((row) => row.textContent)).toEqual([
      expect.stringMatching(/xvfb-run\.For arki · from “Rename the widget API”/),
      expect.stringMatching(/small commits.*For all projects/),
    ]);
    await userEvent.click(button(rows("To review")[0], "from “Rename the widget API”"));
    expect(onSession).toHaveBeenCalledExactlyOnceWith("s-review");
  });

  it("accepts one, and the next has the focus; rejects another", async () => {
    const { fake } = await open();
    await waitFor(() => expect(rows("To review")).toHaveLength(2));
    await userEvent.click(button(rows("To review")[0], "Accept"));
    await waitFor(() => expect(rows("In this project")).toHaveLength(2));
    await waitFor(() => expect(document.activeElement).toBe(button(rows("To review")[0], "Accept")));
    await userEvent.click(button(rows("To review")[0], "Reject"));
    await waitFor(() => expect(screen.getByText(/Nothing to review/)).toBeTruthy());
    expect([sent(fake, "accept_memory"), sent(fake, "reject_memory")]).toEqual([
      [{ id: "p1", text: null }],
      [{ id: "p2" }],
    ]);
  });

  it("accepts one in the user's own words, and Escape only leaves the words", async () => {
    const { fake } = await open();
    await waitFor(() => expect(rows("To review")).toHaveLength(2));
    await userEvent.click(button(rows("To review")[1], "Edit"));
    await userEvent.keyboard("{Escape}");
    await userEvent.click(button(rows("To review")[1], "Edit"));
    const words = screen.getByRole("textbox", { name: "Memory" });
    await userEvent.clear(words);
    await userEvent.type(words, "Commits are small.{Enter}");
    await waitFor(() =>
      expect(sent(fake, "accept_memory")).toEqual([{ id: "p2", text: "Commits are small." }]),
    );
  });

  it("edits and removes what was accepted, and says of one that is not used why", async () => {
    const memory = memories.map((one) => (one.id === "a1" ? { ...one, used: false } : one));
    const { fake } = await open({ memory });
    await waitFor(() => expect(rows("In this project")).toHaveLength(1));
    const [own] = rows("In this project");
    expect(own?.textContent).toContain("~/code/arki/.arki/memory/memory.md");
    expect(own?.textContent).toContain("! Not used");
    await userEvent.click(button(own, "Edit memory"));
    await userEvent.type(screen.getByRole("textbox", { name: "Memory" }), " Always.{Enter}");
    await waitFor(() => expect(rows("In this project")[0]?.textContent).toContain("must stay. Always."));
    await userEvent.click(button(rows("In all projects")[0], "Remove memory"));
    await waitFor(() => expect(rows("In all projects")).toHaveLength(0));
    expect(sent(fake, "remove_memory")).toEqual([{ folder: "/home/ada/code/arki", id: "a2" }]);
  });

  it("says what went wrong, and keeps what was there", async () => {
    await open({ handlers: { accept_memory: () => fail("STORE_FULL", "The disk is full.") } });
    await waitFor(() => expect(rows("To review")).toHaveLength(2));
    await userEvent.click(button(rows("To review")[0], "Accept"));
    expect((await screen.findByRole("alert")).textContent).toContain("The disk is full.");
    expect(rows("To review")).toHaveLength(2);
  });

  it("says where proposals come from while there are none", async () => {
    const { onSettings } = await open({ memory: [] });
    await userEvent.click(await screen.findByRole("button", { name: "Open settings" }));
    expect(onSettings).toHaveBeenCalledOnce();
  });
});
