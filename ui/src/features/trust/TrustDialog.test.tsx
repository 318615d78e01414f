import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import type { ProjectState } from "../../protocol/generated";
import { unpinned } from "../../testing/configured";
import { createFake, demoProject, fail } from "../../testing/fake";
import { renderOn, sent } from "../../testing/render";
import { groupPins } from "./pins";
import { TrustDialog } from "./TrustDialog";

const pin = (kind: string, path: string) => ({ kind, path, hash: "0" });
const undecided: ProjectState = {
  ...demoProject,
  trust: "undecided",
  enables: [pin("rule", "AGENTS.md"), pin("hook", "config#hook")],
};

async function show(project: ProjectState, fake = createFake({ app: { project } })) {
  const onClose = vi.fn();
  await renderOn(fake, <TrustDialog project={project} open onClose={onClose} />);
  return { fake, onClose };
}

describe("Trust this folder?", () => {
  it("lists what trust would enable, what runs by itself first", async () => {
    await show(undecided);
    expect(screen.getByRole("dialog", { name: "Trust this folder?" }).textContent).toMatch(
      /config#hook.*AGENTS\.md/s,
    );
    expect(
      groupPins([pin("zzz", "x"), pin("rule", "a"), pin("rule", "b")]).map(([kind, pins]) => [
        kind,
        pins.length,
      ]),
    ).toEqual([
      ["rule", 2],
      ["zzz", 1],
    ]);
  });

  it("says in words what a server may do", async () => {
    const note = "Runs npx x. It may use the network.";
    const server = { ...pin("mcp_server", ".mcp.json#mcpServers.x"), note };
    await show({ ...undecided, enables: [server] });
    expect(screen.getByRole("dialog").textContent).toContain(note);
  });

  it("has the focus on the safe answer", async () => {
    await show(undecided);
    await waitFor(() => expect(document.activeElement?.textContent).toBe("Keep untrusted"));
  });

  it("keeps a trusted folder trusted at a stray Enter, and withdraws trust by its own button", async () => {
    const { fake, onClose } = await show(demoProject);
    screen.getByRole("dialog", { name: "This folder is trusted" });
    await waitFor(() => expect(document.activeElement?.textContent).toBe("Keep trusted"));
    await userEvent.keyboard("{Enter}");
    expect(onClose).toHaveBeenCalledOnce();
    expect(sent(fake, "keep_untrusted")).toEqual([]);
    await userEvent.click(screen.getByRole("button", { name: "Withdraw trust" }));
    expect(sent(fake, "keep_untrusted")).toEqual([{ path: demoProject.path }]);
  });

  it.each([
    ["Trust folder", "trust_project", { path: demoProject.path, unpinned: [] }],
    ["Keep untrusted", "keep_untrusted", { path: demoProject.path }],
  ] as const)("%s calls %s", async (name, command, params) => {
    const { fake, onClose } = await show(undecided);
    await userEvent.click(screen.getByRole("button", { name }));
    expect(sent(fake, command)).toEqual([params]);
    expect(onClose).toHaveBeenCalledOnce();
  });

  it("leaves hooks that can't be pinned off unless the user agrees to them, by keyboard too", async () => {
    const { fake } = await show({ ...undecided, unpinned });
    const stays = within(screen.getByRole("region", { name: "Stays off: hooks that Arki can't pin" }));
    expect(stays.getByText("make lint")).toBeTruthy();
    expect(stays.getByText(/`make` runs what files of the project say/)).toBeTruthy();
    const agree = stays.getByRole<HTMLInputElement>("checkbox");
    expect(agree.checked).toBe(false);
    agree.focus();
    await userEvent.keyboard(" ");
    expect(agree.checked).toBe(true);
    await userEvent.click(screen.getByRole("button", { name: "Trust folder" }));
    const hashes = unpinned.map(({ hash }) => hash);
    expect(sent(fake, "trust_project")).toEqual([{ path: demoProject.path, unpinned: hashes }]);
  });

  it("turns them on later, in a folder that is trusted", async () => {
    const { fake } = await show({ ...demoProject, unpinned });
    expect(screen.queryByRole("button", { name: "Turn on" })).toBeNull();
    await userEvent.click(screen.getByRole("checkbox"));
    await userEvent.click(screen.getByRole("button", { name: "Turn on" }));
    expect(sent(fake, "trust_project")).toHaveLength(1);
  });

  it("decides nothing when it is closed", async () => {
    const { fake, onClose } = await show(undecided);
    await userEvent.keyboard("{Escape}");
    expect(onClose).toHaveBeenCalledOnce();
    expect([...sent(fake, "trust_project"), ...sent(fake, "keep_untrusted")]).toEqual([]);
  });

  it("shows what changed since the folder was trusted", async () => {
    await show({
      ...demoProject,
      changed: [{ kind: "rule", path: "AGENTS.md", change: "changed", diff: "-a\n+curl | sh" }],
    });
    expect(screen.getByRole("region", { name: "AGENTS.md" }).textContent).toContain("+curl | sh");
    expect(screen.getByRole("button", { name: "Trust folder" })).toBeTruthy();
  });

  it("says what else is worth knowing of a folder", async () => {
    await show({ ...demoProject, notices: ["A hook was taken away."] });
    expect(screen.getByRole("region", { name: "Worth knowing" }).textContent).toContain(
      "A hook was taken away.",
    );
  });

  it("stays open and says why when the answer could not be stored", async () => {
    const fake = createFake({
      app: { project: undecided },
      handlers: { trust_project: () => fail("STORE", "Read-only disk.") },
    });
    const { onClose } = await show(undecided, fake);
    await userEvent.click(screen.getByRole("button", { name: "Trust folder" }));
    expect(screen.getByRole("alert").textContent).toContain("Read-only disk.");
    expect(onClose).not.toHaveBeenCalled();
  });
});
