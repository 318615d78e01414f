/** The parts of a request, put together by what they are, and in words. Pure. */
import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, plural, t } from "@lingui/core/macro";
import { rounded } from "../../components/format";
import type { ContextPart } from "../../protocol/generated";

/** About in the order in which they are sent. */
const groupWords = {
  instructions: msg`Instructions`,
  rules: msg`Rules`,
  skills: msg`Skills`,
  memory: msg`Memory`,
  tools: msg`Tools`,
  summary: msg`Summary`,
  messages: msg`Messages`,
  mentions: msg`Mentions`,
  results: msg`Tool results`,
  other: msg`Other`,
};

export type GroupKind = keyof typeof groupWords;

export type PartGroup = { kind: GroupKind; tokens: number; share: number; parts: readonly ContextPart[] };

/** What this version does not know is listed too, under its own name. */
const kinds: Readonly<Record<string, GroupKind>> = {
  base: "instructions",
  plan: "instructions",
  custom: "instructions",
  rule: "rules",
  rules: "rules",
  skill: "skills",
  skills: "skills",
  procedure: "skills",
  procedures: "skills",
  memory: "memory",
  tools: "tools",
  summary: "summary",
  messages: "messages",
  mention: "mentions",
  results: "results",
};

const partWords: Readonly<Record<string, MessageDescriptor>> = {
  base: msg`Arki's own`,
  plan: msg`Planning`,
  custom: msg`System prompt`,
  summary: msg`Of what was left out`,
};

export const groupTitle = (kind: GroupKind): string => i18n._(groupWords[kind]);

/** What the engine counts in English, by the part. */
const countWords: Readonly<Record<string, (count: number) => string>> = {
  skills: (count) => plural(count, { one: "# skill", other: "# skills" }),
  procedures: (count) => plural(count, { one: "# procedure", other: "# procedures" }),
  memory: (count) => plural(count, { one: "# memory", other: "# memories" }),
};
const counted = /^(\d+) (skills?|procedures?|memory|memories)$/;

export function partTitle({ part, origin }: ContextPart): string {
  const words = partWords[part];
  if (words) return i18n._(words);
  const [, count] = counted.exec(origin) ?? [];
  const inWords = countWords[part];
  if (count !== undefined && inWords) return inWords(Number(count));
  if (part === "tools" && origin === "built in") return t`Built in`;
  return kinds[part] || origin === "" ? origin || part : `${part}: ${origin}`;
}

/** Whether its name says more than what kind of part it is. */
export const hasNameOfItsOwn = ({ part, origin }: ContextPart): boolean =>
  !partWords[part] && origin !== "" && origin !== part;

/** By what they are, about in the order in which they are sent; what is off keeps its place. */
export function groupsOf(parts: readonly ContextPart[]): PartGroup[] {
  return (Object.keys(groupWords) as GroupKind[]).flatMap((kind) => {
    const of = parts.filter((part) => (kinds[part.part] ?? "other") === kind);
    if (of.length === 0) return [];
    const sum = (figure: "tokens" | "share") => of.reduce((all, part) => all + part[figure], 0);
    return [{ kind, parts: of, tokens: sum("tokens"), share: sum("share") }];
  });
}

/** A share in percent, without a sign: "12", "0.4", "< 0.1". */
export function percent(share: number): string {
  const value = share * 100;
  if (value === 0) return "0";
  if (value < 0.1) return `< ${rounded(0.1, 1)}`;
  return rounded(value, value < 10 ? 1 : 0);
}
