import { screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { ConfiguredAgent, HookEntry, SkillEntry } from "../../protocol/generated";
import { createFake } from "../../testing/fake";
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
    expect(hooks.textContent).toContain("at most 60 seconds · with network access");
    expect(hooks.textContent).toContain("✓ on · ~/.config/arki/config.json");
    expect(agents.textContent).toContain("Runs U+202Etests.");
    expect(agents.textContent).toContain("tools: read_*, run_command · only reads · works in a worktree");
    expect(agents.textContent).toContain(".arki/config.json, ~/.config/arki/config.json");
    expect(agents.textContent).toContain("a.md: it has no text.");
    expect(skills.textContent).toContain("comes in by itself for: form, *.pdf · tools: read_file");
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
    await within(skills).findByText(/switched off by "skills.enabled"/);
    expect(within(skills).queryByText(/A skill is a folder/)).toBeNull();
  });
});
