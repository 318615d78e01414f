import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import type { CommandPart, Decision, ExplainedDecision, PolicyCheck } from "../../protocol/generated";
import { createFake, fail } from "../../testing/fake";
import { renderOn, sent } from "../../testing/render";
import { checkTopics } from "./DecisionTrace";
import { OpenRulesContext } from "./open_rules";
import { WhyAsked } from "./WhyAsked";

const order = Object.keys(checkTopics) as PolicyCheck[];

function explained(
  by: PolicyCheck,
  rule: string,
  given: { decision?: Decision; parts?: CommandPart[]; text?: string } = {},
): ExplainedDecision {
  const at = order.indexOf(by);
  const checks = order.map((check, place) => ({
    check,
    outcome:
      place < at ? ("passed" as const) : place === at ? ("decided" as const) : ("not_reached" as const),
  }));
  const { decision = "approval", parts = [], text = null } = given;
  return { trace: { decision, rule, reason: "It asks.", checks, parts }, rule: text };
}

async function open(answer: ExplainedDecision | null) {
  const fake = createFake({ handlers: { explain_decision: () => answer } });
  const openRules = vi.fn();
  await renderOn(
    fake,
    <OpenRulesContext value={openRules}>
      <WhyAsked question="Why was this asked?" sessionId="s" callId="c" />
    </OpenRulesContext>,
  );
  await userEvent.tab();
  expect(document.activeElement).toBe(screen.getByRole("button", { name: "Why was this asked?" }));
  await userEvent.keyboard("{Enter}");
  const body = await screen.findByRole("group", { name: "Why was this asked?" });
  await waitFor(() => expect(body.querySelector("p:not([aria-busy])")).not.toBeNull());
  return { fake, body, openRules };
}

it("asks for the trace once it is opened, and tells what decided, each part, and what passed before", async () => {
  const parts: CommandPart[] = [
    { command: "cargo test", reading: "builds_or_tests" },
    { command: "curl x", reading: "not_known" },
    { command: "rm -rf b", reading: "dangerous", why: "`rm` deletes or overwrites." },
    { command: "echo $(x)", reading: "not_understood", why: "a variable or a substitution" },
  ];
  const { fake, body } = await open(explained("category_default", "category:exec", { parts }));
  expect(sent(fake, "explain_decision")).toEqual([{ sessionId: "s", callId: "c", seq: null }]);
  expect(body.textContent).toContain("The default for this kind of call is to ask you.");
  const listed = within(within(body).getByRole("list", { name: "Parts of the command" }))
    .getAllByRole("listitem")
    .map((one) => one.textContent);
  expect(listed).toEqual([
    "cargo test ✓ builds or tests",
    "curl x ? not known",
    "rm -rf b ! dangerous: `rm` deletes or overwrites.",
    "echo $(x) ? can't be understood: it contains a variable or a substitution",
  ]);
  expect(body.textContent).toContain("folder trust");
  expect(within(body).queryByText("the category's default")).toBeNull();
  expect(body.textContent).not.toContain("Arki knows each part");
});

it("shows a rule of the user's as a sentence and leads to the rules", async () => {
  const text = JSON.stringify({ decision: "approval", command: ["git", "push"] });
  const { body, openRules } = await open(explained("rules", "config:rules[2]", { text }));
  expect(body.textContent).toContain("A rule says to ask you before this.");
  expect(body.textContent).toContain("Always ask before commands that begin with git push in every folder");
  await userEvent.click(within(body).getByRole("button", { name: "Open rules" }));
  expect(openRules).toHaveBeenCalledOnce();
});

it("says that a rule has changed since, and keeps its name", async () => {
  const { body } = await open(explained("deny_rules", "project:rules[1]", { decision: "deny" }));
  expect(body.textContent).toContain("A rule denies this.");
  expect(body.textContent).toContain("project:rules[1] It has changed since then.");
});

it("leads to no settings where none decided, and lists no parts of what is no command", async () => {
  const { body } = await open(explained("sensitive", "builtin:secret-file"));
  expect(body.textContent).toContain("Arki asks about secrets and protected paths every time");
  expect(within(body).queryByRole("button")).toBeNull();
  expect(within(body).queryByRole("list", { name: "Parts of the command" })).toBeNull();
});

it("says why a line of known parts was asked about all the same", async () => {
  const parts: CommandPart[] = [{ command: "cat ../x", reading: "only_reads" }];
  const { body } = await open(explained("category_default", "category:exec", { parts }));
  expect(body.textContent).toContain("Arki knows each part");
});

it("shows the parts of a long line a piece at a time", async () => {
  const parts: CommandPart[] = [...Array(20).keys()].map((place) => ({
    command: `tool ${place}`,
    reading: "not_known",
  }));
  const { body } = await open(explained("category_default", "category:exec", { parts }));
  const shown = () => within(body).getByRole("list", { name: "Parts of the command" }).children.length;
  expect(shown()).toBe(12);
  await userEvent.click(within(body).getByRole("button", { name: "Show more: 8 rows are left" }));
  expect(shown()).toBe(20);
});

it("says so where no check decided, and what is wrong where it can't be told", async () => {
  const { body } = await open(null);
  expect(body.textContent).toContain("This wasn't decided by one of Arki's checks.");
  const broken = createFake({ handlers: { explain_decision: () => fail("SESSION_NOT_FOUND", "gone") } });
  await renderOn(broken, <WhyAsked question="Why was this denied?" sessionId="s" callId="c" />);
  await userEvent.click(screen.getByRole("button", { name: "Why was this denied?" }));
  expect(await screen.findByText(/gone/)).toBeTruthy();
});
