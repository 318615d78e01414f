/** A rule as the form has it, and as JSON. Pure. */
import type { RuleDecision } from "../../protocol/rules";

/** `command` is as one types it; `onlyHere` is "true" or empty. */
export type RuleFields = Readonly<
  Record<"tool" | "command" | "path" | "host" | "reason" | "onlyHere", string> & { decision: RuleDecision }
>;

export const noFields: RuleFields = {
  decision: "approval",
  tool: "",
  command: "",
  path: "",
  host: "",
  reason: "",
  onlyHere: "",
};

/** `folder`: the one that is open. What is empty is left out. */
export function ruleText(fields: RuleFields, folder: string | null): string {
  const { decision, onlyHere } = fields;
  const said = (text: string) => text.trim() || undefined;
  const command = wordsOf(fields.command);
  const rule = {
    decision,
    tool: said(fields.tool),
    command: command.length > 0 ? command : undefined,
    path: said(fields.path),
    host: said(fields.host),
    project: onlyHere !== "" && folder !== null ? folder : undefined,
    reason: said(fields.reason),
  };
  return JSON.stringify(rule, null, 2);
}

/** The words of a command; quotes keep one together. */
export function wordsOf(line: string): string[] {
  const words = line.match(/(?:"[^"]*"|'[^']*'|\S)+/g) ?? [];
  return words.map((word) => word.replace(/"([^"]*)"|'([^']*)'/g, "$1$2"));
}
