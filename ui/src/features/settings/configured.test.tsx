import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import type { ConfiguredAgent, HookEntry, SettingEntry, SkillEntry } from "../../protocol/generated";
import { readHook, writeHook } from "../../protocol/hook_entries";
import { createFake, fail } from "../../testing/fake";
import { renderOn, sent } from "../../testing/render";
import { Configured } from "./Configured";

const hook: HookEntry = {
  name: "format",
  event: "PostToolUse",
  condition: "edit_file",
  action: "command",
  does: "cargo\u200bfmt",
  timeoutSeconds: 60,
  network: true,
  origin: "/home/ada/.config/arki/config.json",
  enabled: true,
};
const agent: ConfiguredAgent = {
  name: "tester",
  description: "Runs \u202etests.",
  model: "lab/x",
  core: "pes",
  tools: ["read_*", "run_command"],
  readOnly: true,
  isolated: true,
  builtIn: false,
  origins: [".arki/config.json", "/home/ada/.config/arki/config.json"],
};
const skill: SkillEntry = {
  name: "pdf",
  description: "Fills forms.",
  origin: ".agents/skills/pdf/SKILL.md",
  keywords: ["form"],
  paths: ["*.pdf"],
  allowedTools: ["read_file"],
  warnings: ["its \u202efront matter is not YAML"],
  off: null,
};

type Handlers = NonNullable<Parameters<typeof createFake>[0]["handlers"]>;

async function shown(handlers: Handlers) {
  const fake = createFake({ handlers });
  await renderOn(fake, <Configured folder="/p" />);
  const part = (name: string) => screen.findByRole("region", { name });
  return { fake, hooks: await part("Hooks"), agents: await part("Agents"), skills: await part("Skills") };
}

describe("hooks, agents and skills", () => {
  it("say what they do and where they come from, and hide nothing", async () => {
    const { fake, hooks, agents, skills } = await shown({
      list_hooks: () => ({ hooks: [hook], refused: null }),
      list_agents: () => ({ agents: [agent], warnings: ["a.md: it has no text."] }),
      list_skills: () => ({ enabled: true, skills: [skill], faults: [], notice: "2 skills are left out." }),
    });
    expect(sent(fake, "list_hooks")).toEqual([{ folder: "/p" }]);
    await within(hooks).findByText("format");
    expect(hooks.textContent).toContain("PostToolUse after a call");
    expect(hooks.textContent).toContain("cargoU+200Bfmt");
    expect(hooks.textContent).toContain("at most 1 min · with network access");
    expect(hooks.textContent).toContain("✓ on · ~/.config/arki/config.json");
    expect(agents.textContent).toContain("Runs U+202Etests.");
    expect(agents.textContent).toContain("tools: read_*, run_command · only reads · works in a worktree");
    expect(agents.textContent).toContain(".arki/config.json, ~/.config/arki/config.json");
    expect(agents.textContent).toContain("a.md: it has no text.");
    expect(skills.textContent).toContain("used automatically for: form, *.pdf · tools: read_file");
    expect(skills.textContent).toContain("its U+202Efront matter");
    expect(skills.textContent).toContain("2 skills are left out.");
  });

  it("say why they are off", async () => {
    const refused = { code: "CONFIG_INVALID", message: "It can't be used.", hint: "" };
    const { hooks, skills } = await shown({
      list_hooks: () => ({ hooks: [{ ...hook, enabled: false, off: "script_changed" }], refused }),
      list_skills: () => ({
        enabled: true,
        skills: [{ ...skill, description: "", off: "changed" }],
        faults: [refused],
        notice: null,
      }),
    });
    await within(hooks).findByText("! off: a script that it names changed since you approved it");
    expect(within(hooks).getByRole("alert").textContent).toContain("It can't be used.");
    expect(skills.textContent).toContain("! off: its files aren't those that you approved");
    expect(within(skills).getByRole("alert")).toBeTruthy();
  });

  it("teach where there are none", async () => {
    const { hooks, skills } = await shown({});
    await within(hooks).findByText(/A hook runs a command/);
    await within(skills).findByText(/A skill is a folder with a SKILL.md/);
  });

  it("say that skills are switched off", async () => {
    const off = { enabled: false, skills: [], faults: [], notice: null };
    const { skills } = await shown({ list_skills: () => off });
    await within(skills).findByText(/switched off by “skills.enabled”/);
    expect(within(skills).queryByText(/A skill is a folder/)).toBeNull();
  });
});

const ownHook: HookEntry = {
  ...hook,
  key: "hooks.PostToolUse[0]",
  entry: { condition: { toolName: ["edit_file"] }, command: "cargo fmt", description: "mine" },
};
const changesOf = (fake: Parameters<typeof sent>[0]) =>
  sent(fake, "change_settings").flatMap((call) => call.changes);

describe("hooks", () => {
  it("are added with a form that keeps what was typed until it is taken", async () => {
    let isRefused = true;
    const { fake, hooks } = await shown({
      change_settings: () => (isRefused ? fail("CONFIG_INVALID", "It is no glob.") : null),
    });
    await userEvent.click(within(hooks).getByRole("button", { name: "Add hook" }));
    const form = within(hooks).getByRole("form", { name: "Add hook" });
    await userEvent.selectOptions(within(form).getByRole("combobox", { name: "When" }), "PreToolUse");
    await userEvent.type(within(form).getByRole("textbox", { name: "Tools" }), "edit_file");
    await userEvent.type(within(form).getByRole("textbox", { name: "Command" }), "./check.sh");
    await userEvent.type(within(form).getByRole("textbox", { name: "Time limit" }), "1.5 min");
    await userEvent.click(within(form).getByRole("button", { name: "Save hook" }));
    expect((await within(form).findByRole("alert")).textContent).toContain("It is no glob.");
    isRefused = false;
    await userEvent.click(within(form).getByRole("button", { name: "Save hook" }));
    const add = await within(hooks).findByRole("button", { name: "Add hook" });
    await waitFor(() => expect(document.activeElement).toBe(add));
    const entry = { condition: { toolName: ["edit_file"] }, command: "./check.sh", timeoutSeconds: 90 };
    const last = changesOf(fake).at(-1);
    expect({ ...last, text: JSON.parse(last?.text ?? "") }).toEqual({
      key: "hooks.PreToolUse[]",
      text: entry,
      was: null,
    });
  });

  it("have their time typed with a decimal comma too, for the engine to judge", async () => {
    const { fake, hooks } = await shown({});
    await userEvent.click(within(hooks).getByRole("button", { name: "Add hook" }));
    const form = within(hooks).getByRole("form", { name: "Add hook" });
    await userEvent.type(within(form).getByRole("textbox", { name: "Command" }), "x");
    await userEvent.type(within(form).getByRole("textbox", { name: "Time limit" }), "1,5");
    await userEvent.click(within(form).getByRole("button", { name: "Save hook" }));
    expect(JSON.parse(changesOf(fake)[0]?.text ?? "")).toEqual({ command: "x", timeoutSeconds: 1.5 });
  });

  it("are edited and removed as they were shown, a project's are not", async () => {
    const { fake, hooks } = await shown({ list_hooks: () => ({ hooks: [ownHook, hook], refused: null }) });
    const edit = await within(hooks).findByRole("button", { name: "Edit format" });
    await userEvent.click(edit);
    const command = within(hooks).getByRole("textbox", { name: "Command" });
    await userEvent.clear(command);
    await userEvent.type(command, "cargo fmt --all{Enter}");
    await userEvent.click(await within(hooks).findByRole("button", { name: "Remove format" }));
    await userEvent.click(await within(hooks).findByRole("button", { name: "Undo" }));
    const was = JSON.stringify(ownHook.entry);
    expect(changesOf(fake).map(({ key, was }) => [key, was])).toEqual([
      ["hooks.PostToolUse[0]", was],
      ["hooks.PostToolUse[0]", was],
      ["hooks.PostToolUse[]", null],
    ]);
    expect(JSON.parse(changesOf(fake)[0]?.text ?? "")).toEqual({
      condition: { toolName: ["edit_file"] },
      command: "cargo fmt --all",
      description: "mine",
    });
    expect(changesOf(fake)[1]?.text).toBeNull();
    expect(within(hooks).getAllByRole("button", { name: /^Edit|^Remove/ })).toHaveLength(2);
  });

  it("that share a matcher are removed one at a time, and come back", async () => {
    const entry = { matcher: "Edit", hooks: [{ command: "a" }, { command: "b", timeout: 5 }] };
    const key = "hooks.PostToolUse[1]";
    const shares = ["a", "b"].map((name) => ({ ...hook, key, entry, name, does: name }));
    const { fake, hooks } = await shown({
      list_hooks: () => ({ hooks: [ownHook, ...shares], refused: null }),
    });
    await userEvent.click(await within(hooks).findByRole("button", { name: "Remove b" }));
    await userEvent.click(await within(hooks).findByRole("button", { name: "Undo" }));
    const whole = JSON.stringify(entry);
    const left = JSON.stringify({ matcher: "Edit", hooks: [{ command: "a" }] });
    expect(changesOf(fake)).toEqual([
      { key, text: left, was: whole },
      { key, text: whole, was: left },
    ]);
  });

  it("are tried with something made up, and their answers are shown", async () => {
    const { fake, hooks } = await shown({
      list_hooks: () => ({ hooks: [ownHook], refused: null }),
      try_hooks: () => [
        {
          name: "format",
          outcome: "blocked",
          words: "Hook format objected: no",
          durationMs: 12,
          args: null,
          context: "Run it again",
        },
      ],
    });
    await userEvent.click(await within(hooks).findByRole("button", { name: "Test format" }));
    const form = within(hooks).getByRole("form", { name: "Test format" });
    await userEvent.click(within(form).getByRole("button", { name: "Try it" }));
    await within(form).findByText("Hook format objected: no");
    expect(form.textContent).toContain("✕ blocks it");
    expect(form.textContent).toContain("To the model: Run it again");
    expect(sent(fake, "try_hooks")).toEqual([
      {
        folder: "/p",
        happens: { event: "PostToolUse", tool: "edit_file", args: '{"path":"README.md"}', text: "" },
      },
    ]);
  });

  it("keep the form they were written in", () => {
    const entry = {
      matcher: "Edit|Write",
      hooks: [
        { type: "command", command: "a", timeout: 5 },
        { type: "command", command: "b", statusMessage: "x" },
      ],
    };
    const draft = readHook("PostToolUse", entry);
    expect(writeHook(draft)).toEqual(entry);
    const runs = draft.runs.map((run) => ({ ...run, seconds: "" }));
    expect(writeHook({ ...draft, runs })).toEqual({
      matcher: "Edit|Write",
      hooks: [
        { type: "command", command: "a" },
        { type: "command", command: "b", statusMessage: "x" },
      ],
    });
    const note = { action: "log", message: "x", name: "n" };
    expect(writeHook(readHook("Stop", note))).toEqual(note);
  });
});

const setting = (key: string, value: unknown, origin: SettingEntry["origin"]): SettingEntry => ({
  key,
  value,
  origin,
  file: null,
  kind: "text",
  choices: key.endsWith("core") ? ["tool-loop", "pes"] : [],
  about: "",
  canBeSet: true,
  reset: "nothing",
  itemKind: null,
  itemChoices: [],
  template: null,
});

describe("agents", () => {
  const settings = [
    setting("agents.arki.core", "tool-loop", "default"),
    setting("agents.tester.model", "lab/x", "user"),
    setting("agents.tester.core", "tool-loop", "default"),
    setting("agents.tester.tools", ["read_*"], "user"),
  ];

  it("are added by name", async () => {
    const { fake, agents } = await shown({ list_settings: () => settings });
    await userEvent.click(within(agents).getByRole("button", { name: "Add agent" }));
    const form = within(agents).getByRole("form", { name: "Add agent" });
    await userEvent.type(within(form).getByRole("textbox", { name: "Name" }), "writer");
    await userEvent.type(within(form).getByRole("textbox", { name: "Instructions" }), "Write.");
    await userEvent.type(within(form).getByRole("textbox", { name: "Tools" }), "read_*{Enter}edit_file");
    await userEvent.selectOptions(within(form).getByRole("combobox", { name: "Core" }), "pes");
    await userEvent.selectOptions(within(form).getByRole("combobox", { name: "Only reads" }), "yes");
    await userEvent.click(within(form).getByRole("button", { name: "Save agent" }));
    const text = JSON.stringify({
      systemPrompt: "Write.",
      tools: ["read_*", "edit_file"],
      readOnly: true,
      core: "pes",
    });
    expect(changesOf(fake)).toEqual([{ key: "agents.writer", text, was: "null" }]);
  });

  it("are edited key by key, and removed", async () => {
    const { fake, agents } = await shown({
      list_agents: () => ({ agents: [agent], warnings: [] }),
      list_settings: () => settings,
    });
    await userEvent.click(await within(agents).findByRole("button", { name: "Edit tester" }));
    const form = within(agents).getByRole("form", { name: "Edit tester" });
    const model = within(form).getByRole<HTMLInputElement>("textbox", { name: "Model" });
    expect(model.value).toBe("lab/x");
    await userEvent.clear(model);
    await userEvent.type(within(form).getByRole("textbox", { name: "When to use it" }), "Tests.");
    await userEvent.click(within(form).getByRole("button", { name: "Save agent" }));
    await userEvent.click(await within(agents).findByRole("button", { name: "Remove tester" }));
    expect(changesOf(fake)).toEqual([
      { key: "agents.tester.description", text: '"Tests."', was: "null" },
      { key: "agents.tester.model", text: null, was: '"lab/x"' },
      { key: "agents.tester", text: null, was: null },
    ]);
    await within(agents).findByRole("button", { name: "Undo" });
  });
});

describe("skills", () => {
  it("are opened in the editor and switched off", async () => {
    const { fake, skills } = await shown({
      list_skills: () => ({ enabled: true, skills: [skill], faults: [], notice: null }),
    });
    await userEvent.click(await within(skills).findByRole("button", { name: "Open in editor: pdf" }));
    await userEvent.click(within(skills).getByRole("switch", { name: "Offer skills" }));
    expect(sent(fake, "open_configured")).toEqual([{ folder: "/p", path: ".agents/skills/pdf/SKILL.md" }]);
    expect(changesOf(fake)).toEqual([{ key: "skills.enabled", text: "false", was: null }]);
  });
});
