/** A rule of the policy, as it stands in the configuration and as `proposed_rule` hands it out: JSON in a text. */
import type { Decision } from "./generated";
import { isRecord } from "./read";

/** What a rule may decide. Only the category of commands can have changes reviewed afterwards. */
export type RuleDecision = Exclude<Decision, "review">;

export type Rule = {
  decision: RuleDecision;
  tool: string | null;
  /** How a command begins, word by word. */
  command: readonly string[] | null;
  /** A glob, relative to the project. */
  path: string | null;
  /** A host, or `*.` and one for all below it. */
  host: string | null;
  /** The only folder it holds in. */
  project: string | null;
  /** Commands may use the network as well. */
  network: boolean;
  /** Commands may get input from a pipe or a file. */
  stdin: boolean;
  /** What the commands change lands without a review. */
  landsEffects: boolean;
};

const decisions: readonly string[] = ["allow", "preview", "approval", "deny"] satisfies RuleDecision[];
const isDecision = (value: unknown): value is RuleDecision =>
  typeof value === "string" && decisions.includes(value);

/** Null for what is no rule, or none that this version knows. */
export function readRule(json: string): Rule | null {
  const value = parsed(json);
  if (!isRecord(value) || !isDecision(value.decision)) return null;
  const word = (key: string) => (typeof value[key] === "string" ? value[key] : null);
  const { command, decision } = value;
  const rule = {
    decision,
    tool: word("tool"),
    command: Array.isArray(command) ? command.filter((one) => typeof one === "string") : null,
    path: word("path"),
    host: word("host"),
    project: word("project"),
    network: value.network === true,
    stdin: value.stdin === true,
    landsEffects: value.effects === "allow",
  };
  return (rule.tool ?? rule.command ?? rule.path ?? rule.host) ? rule : null;
}

/** The rules that `proposed_rule` hands out, one a line; null where one of them can't be read. */
export function readRules(lines: string): Rule[] | null {
  const rules = lines.split("\n").map(readRule);
  return rules.every((rule) => rule !== null) ? rules : null;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}
