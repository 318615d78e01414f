/** What is decided as a whole: a command, and an approval for longer than once. */
import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { buttons, diff, press, resolution, show, waiting } from "../../testing/approvals";
import { previewOf } from "../../testing/scenes";

describe("a command approval", () => {
  const command = {
    command: "rm -rf \u202etxt.exe",
    directory: "/p",
    environment: ["PATH"],
    sandbox: "off",
    previewHash: "e",
  };

  it("shows exactly what would run, where and with what, and answers with its hash", async () => {
    const { id, fake } = waiting({}, { toolId: "run_command", command });
    await show(fake, id);
    expect(document.querySelector(".command")?.textContent).toBe("rm -rf U+202Etxt.exe");
    for (const fact of ["/p", "PATH", "off", "writes ask"]) expect(screen.getByText(fact)).toBeTruthy();
    await press("Approve");
    expect(resolution(fake)).toEqual([
      {
        decision: "approve",
        hunks: null,
        edited: null,
        command: null,
        note: null,
        previewHash: "e",
        keep: null,
      },
    ]);
  });

  it("runs the user's own command in its place", async () => {
    const { id, fake } = waiting({}, { toolId: "run_command", command });
    await show(fake, id);
    await press("Edit command");
    const box = screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Command to run instead" });
    expect(box.value).toBe(command.command);
    await userEvent.clear(box);
    await press("Approve");
    expect(resolution(fake)).toEqual([]);
    await userEvent.type(box, "ls");
    await press("Approve");
    expect(resolution(fake)).toMatchObject([{ decision: "approve", command: "ls", previewHash: "e" }]);
  });

  it("goes back to the model's command with Escape", async () => {
    const { id, fake } = waiting({}, { toolId: "run_command", command });
    await show(fake, id);
    await press("Edit command");
    await userEvent.keyboard("x{Escape}");
    await press("Approve");
    expect(resolution(fake)).toMatchObject([{ decision: "approve", command: null }]);
  });

  it("can be rejected with a note", async () => {
    const { id, fake } = waiting({}, { toolId: "run_command", command });
    await show(fake, id);
    await userEvent.type(screen.getByRole("textbox", { name: "Note to the model" }), "why?");
    await press("Reject");
    expect(resolution(fake)).toMatchObject([{ decision: "reject", note: "why?" }]);
  });
});

describe("an approval for longer than once", () => {
  const rule = '{"decision":"allow","tool":"run_command","command":["cargo","fetch"],"project":"/p"}';
  const command = {
    command: "cargo fetch",
    directory: "/p",
    environment: [],
    sandbox: "off",
    previewHash: "e",
  };
  const keeping = (payload: Record<string, unknown>) => waiting({ proposed_rule: () => rule }, payload);

  it("says what it would allow, has the exact rule at hand, and sends back just that", async () => {
    for (const [name, scope, sentence] of [
      ["Approve for this session", "session", "Allow commands that begin with cargo fetch for this session"],
      ["Always approve", "always", "Always allow commands that begin with cargo fetch in this folder"],
    ] as const) {
      const { id, fake } = keeping({ toolId: "run_command", command });
      const { unmount } = await show(fake, id);
      const button = await screen.findByRole("button", { name });
      const described = document.getElementById(button.getAttribute("aria-describedby") ?? "");
      expect(described?.textContent).toBe(sentence);
      await userEvent.click(screen.getByText("Show rule"));
      expect(screen.getByText(rule)).toBeDefined();
      await press(name);
      expect(resolution(fake)).toMatchObject([
        { decision: "approve", command: null, hunks: null, previewHash: "e", keep: { scope, rule } },
      ]);
      unmount();
    }
  });

  it("shows every rule that would be stored, and sends back all of them", async () => {
    const rules = `${rule}\n${rule.replace("fetch", "publish")}`;
    const { id, fake } = waiting({ proposed_rule: () => rules }, { toolId: "run_command", command });
    await show(fake, id);
    const button = await screen.findByRole("button", { name: "Always approve" });
    const described = document.getElementById(button.getAttribute("aria-describedby") ?? "");
    expect(described?.textContent).toContain("cargo fetch");
    expect(described?.textContent).toContain("cargo publish");
    await press("Always approve");
    expect(resolution(fake)).toMatchObject([{ keep: { scope: "always", rule: rules } }]);
  });

  it("has keys of its own, and Ctrl+Enter still approves once", async () => {
    for (const [keys, keep] of [
      ["{Control>}{Shift>}{Enter}{/Shift}{/Control}", { scope: "session", rule }],
      ["{Control>}{Alt>}{Enter}{/Alt}{/Control}", { scope: "always", rule }],
      ["{Control>}{Enter}{/Control}", null],
    ] as const) {
      const { id, fake } = keeping({ toolId: "run_command", command });
      const { unmount } = await show(fake, id);
      await screen.findByRole("button", { name: "Always approve" });
      await userEvent.keyboard(keys);
      expect(resolution(fake)).toMatchObject([{ decision: "approve", keep }]);
      unmount();
    }
  });

  it("takes a change of files whole, and is gone once a hunk is decided otherwise", async () => {
    const { id, fake } = keeping({ preview: previewOf(diff) });
    const { unmount } = await show(fake, id);
    await screen.findByRole("button", { name: "Always approve" });
    await press("Approve for this session");
    expect(resolution(fake)).toMatchObject([{ hunks: null, edited: null, keep: { scope: "session", rule } }]);
    unmount();
    const other = keeping({ preview: previewOf(diff) });
    await show(other.fake, other.id);
    await screen.findByRole("button", { name: "Always approve" });
    await press("Reject hunk");
    expect(buttons("Always approve")).toHaveLength(0);
    await userEvent.keyboard("{Control>}{Shift>}{Enter}{/Shift}{/Control}");
    expect(resolution(other.fake)).toEqual([]);
  });

  it("is not offered for the user's own command, nor where there is no rule", async () => {
    const { id, fake } = keeping({ toolId: "run_command", command });
    const { unmount } = await show(fake, id);
    await screen.findByRole("button", { name: "Always approve" });
    await press("Edit command");
    expect(buttons("Always approve")).toHaveLength(0);
    unmount();
    const none = waiting({}, { toolId: "run_command", command });
    await show(none.fake, none.id);
    expect(buttons("Approve")).toHaveLength(1);
    expect(buttons("Always approve")).toHaveLength(0);
  });
});
