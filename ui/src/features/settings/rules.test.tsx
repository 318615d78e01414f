import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import type { BacktestResult, PastCallEntry, SettingEntry } from "../../protocol/generated";
import { createFake, fail } from "../../testing/fake";
import { renderOn, sent } from "../../testing/render";
import { Rules } from "./Rules";
import { noFields, ruleText, wordsOf } from "./rule_form";

const stored = (place: number, value: unknown, more: Partial<SettingEntry> = {}): SettingEntry => ({
  key: `policy.rules[${place}]`,
  value,
  origin: "user",
  file: "/home/ada/.config/arki/config.json",
  kind: "json",
  choices: [],
  about: "",
  canBeSet: false,
  reset: "nothing",
  itemKind: null,
  itemChoices: [],
  template: null,
  ...more,
});

const mine = { decision: "deny", command: ["rm"], reason: "Use \u202etrash." };
const theirs = { decision: "approval", path: "db/**" };
const settings = [
  stored(0, mine),
  stored(1, theirs, { origin: "project", file: "/p/.arki/config.json" }),
  stored(2, true, { key: "skills.enabled" }),
];

const past: PastCallEntry = {
  sessionId: "s1",
  seq: 7,
  title: "Clean up",
  project: "/home/ada/code/arki",
  toolId: "run_command",
  call: "touch a\u200b",
  decided: "approval",
  decision: "approval",
  withRule: "deny",
};
const result: BacktestResult = { matched: [past], matchedCount: 3, changed: 1, calls: 40, leftOut: 1 };

async function shown(given: Parameters<typeof createFake>[0] = {}) {
  const fake = createFake({ settings, ...given });
  const onCall = vi.fn();
  await renderOn(fake, <Rules folder="/p" onCall={onCall} />);
  await waitFor(() => expect(sent(fake, "list_settings")).toEqual([{ folder: "/p" }]));
  return { fake, onCall };
}

describe("rules", () => {
  it("have their button once they are listed, for it would move away before a click", async () => {
    const fake = createFake({});
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const call = fake.platform.call;
    fake.platform.call = async (name, params) => {
      if (name === "list_settings") await answered;
      return call(name, params);
    };
    await renderOn(fake, <Rules folder="/p" onCall={vi.fn()} />);
    expect(screen.queryByRole("button", { name: "Add rule" })).toBeNull();
    answer();
    expect(await screen.findByRole("button", { name: "Add rule" })).toBeTruthy();
    expect(screen.getByText(/^You have no rules yet/)).toBeTruthy();
  });

  it("are sentences that say where they come from, and hide nothing", async () => {
    await shown();
    const rules = await screen.findAllByRole("listitem");
    expect(rules).toHaveLength(2);
    expect(rules[0]?.textContent).toContain("Never run commands that begin with rm in every folder");
    expect(rules[0]?.textContent).toContain("Your file · ~/.config/arki/config.json");
    expect(rules[0]?.textContent).toContain("Use U+202Etrash.");
    expect(rules[1]?.textContent).toContain("This folder · /p/.arki/config.json");
    // What the folder says is changed there.
    expect(screen.getAllByRole("button", { name: "Remove rule" })).toHaveLength(1);
  });

  it("are removed, and that is taken back", async () => {
    const { fake } = await shown();
    await userEvent.click(await screen.findByRole("button", { name: "Remove rule" }));
    const removed = sent(fake, "remove_rule")[0]?.rule ?? "";
    expect(JSON.parse(removed)).toEqual(mine);
    const undo = await screen.findByRole("button", { name: "Undo" });
    await waitFor(() => expect(document.activeElement).toBe(undo));
    await userEvent.keyboard("{Enter}");
    expect(sent(fake, "add_rule")).toEqual([{ rule: removed }]);
    expect(screen.queryByRole("button", { name: "Undo" })).toBeNull();
    expect(sent(fake, "list_settings")).toHaveLength(3);
  });

  it("without any say how there come to be some", async () => {
    await shown({ settings: [] });
    expect(await screen.findByText(/You have no rules yet/)).toBeTruthy();
  });

  it("are tried on past calls before they are added", async () => {
    const { fake, onCall } = await shown({ handlers: { backtest_rule: () => result } });
    await userEvent.click(screen.getByRole("button", { name: "Add rule" }));
    const form = screen.getByRole("form", { name: "Add rule" });
    await userEvent.selectOptions(within(form).getByRole("combobox", { name: "Decision" }), "Never allow");
    await userEvent.type(within(form).getByRole("textbox", { name: "Command" }), "touch 'a b'");
    await userEvent.click(within(form).getByRole("checkbox", { name: "Only in this folder" }));
    expect(form.textContent).toContain("Never run commands that begin with touch 'a b' in this folder");
    await userEvent.click(within(form).getByRole("button", { name: "What would it change?" }));
    const rule = { decision: "deny", command: ["touch", "a b"], project: "/p" };
    expect(JSON.parse(sent(fake, "backtest_rule")[0]?.rule ?? "")).toEqual(rule);
    const tested = await screen.findByRole("region", { name: "What the rule would change" });
    expect(tested.textContent).toContain(
      "40 past calls looked at: the rule matches 3 and would decide 1 differently.",
    );
    expect(tested.textContent).toContain("1 call is left out");
    expect(tested.textContent).toContain("touch aU+200B");
    expect(tested.textContent).toContain("asks →becomes denied");
    expect(tested.textContent).toContain("Only 1 are listed.");
    await userEvent.click(within(tested).getByRole("button", { name: "Clean up" }));
    expect(onCall).toHaveBeenCalledWith(past);
    expect(sent(fake, "add_rule")).toEqual([]);

    await userEvent.type(within(form).getByRole("textbox", { name: "Reason" }), "No.");
    expect(screen.queryByRole("region", { name: "What the rule would change" })).toBeNull();
    await userEvent.click(within(form).getByRole("button", { name: "Add rule" }));
    expect(JSON.parse(sent(fake, "add_rule")[0]?.rule ?? "")).toEqual({ ...rule, reason: "No." });
    await waitFor(() => expect(screen.queryByRole("form")).toBeNull());
    await waitFor(() => expect(document.activeElement?.textContent).toBe("Add rule"));
  });

  it("are written as JSON, and what is wrong stays beside them", async () => {
    const { fake } = await shown({
      handlers: { add_rule: () => fail("CONFIG_INVALID", "The rule can't be used.") },
    });
    await userEvent.click(screen.getByRole("button", { name: "Add rule" }));
    await userEvent.type(screen.getByRole("textbox", { name: "Host" }), "example.org");
    await userEvent.click(screen.getByRole("button", { name: "Write it as JSON" }));
    const json = screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Rule as JSON" });
    expect(JSON.parse(json.value)).toEqual({ decision: "approval", host: "example.org" });
    await userEvent.clear(json);
    await userEvent.click(json);
    await userEvent.paste('{"decision": "deny"}');
    expect(screen.getByText("A rule names a tool, a command, a path or a host.")).toBeTruthy();
    const form = screen.getByRole("form", { name: "Add rule" });
    await userEvent.click(within(form).getByRole("button", { name: "Add rule" }));
    expect((await within(form).findByRole("alert")).textContent).toContain("The rule can't be used.");
    expect(sent(fake, "add_rule")).toEqual([{ rule: '{"decision": "deny"}' }]);
    expect(json.value).toBe('{"decision": "deny"}');
    await userEvent.click(screen.getByRole("button", { name: "Use the form" }));
    expect(screen.getByRole<HTMLInputElement>("textbox", { name: "Host" }).value).toBe("example.org");
    await userEvent.click(screen.getByRole("button", { name: "Write it as JSON" }));
    expect(screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Rule as JSON" }).value).toBe(
      '{"decision": "deny"}',
    );
  });

  it("of which another was tried meanwhile don't show its answer", async () => {
    const answers: ((result: BacktestResult) => void)[] = [];
    const fake = createFake({ settings });
    const call = fake.platform.call;
    fake.platform.call = (async (name: string, params: never) =>
      name === "backtest_rule"
        ? new Promise((answer) => answers.push(answer))
        : call(name as never, params)) as typeof call;
    await renderOn(fake, <Rules folder={null} onCall={vi.fn()} />);
    await userEvent.click(screen.getByRole("button", { name: "Add rule" }));
    expect(screen.queryByRole("checkbox", { name: "Only in this folder" })).toBeNull();
    await userEvent.type(screen.getByRole("textbox", { name: "Path" }), "a");
    await userEvent.click(screen.getByRole("button", { name: "What would it change?" }));
    expect(screen.getByText("Reading past sessions…")).toBeTruthy();
    await userEvent.type(screen.getByRole("textbox", { name: "Path" }), "b");
    answers[0]?.(result);
    await waitFor(() => expect(screen.queryByText("Reading past sessions…")).toBeNull());
    expect(screen.queryByRole("region", { name: "What the rule would change" })).toBeNull();
  });
});

describe("a rule of the form", () => {
  it("has the words of a command, and nothing that is empty", () => {
    expect(wordsOf(` git  commit -m "a b" --author='c "d"' x"y z"w `)).toEqual([
      "git",
      "commit",
      "-m",
      "a b",
      '--author=c "d"',
      "xy zw",
    ]);
    expect(wordsOf("it's")).toEqual(["it's"]);
    const text = ruleText({ ...noFields, tool: " edit_file ", onlyHere: "true" }, null);
    expect(JSON.parse(text)).toEqual({ decision: "approval", tool: "edit_file" });
  });
});
