/** The words for a span: its name in its row, and all that is known of it. */
import { plural, t } from "@lingui/core/macro";
import { cost, duration, exact, exactCost, tokens } from "../../components/format";
import type { Usage } from "../../protocol/generated";
import type { Span } from "./spans";

export function nameOf({ kind, name, turn, detail }: Span): string {
  switch (kind) {
    case "run":
      return name.split("\n")[0] || t`Run`;
    case "turn":
      return t`Turn ${turn}`;
    case "reads":
      return plural(Number(name), { one: "# read", other: "# reads" });
    case "wait":
      return waitWords(name);
    case "model":
      return purposeWords(detail) ?? (name.slice(name.indexOf("/") + 1) || t`Model call`);
    default:
      return name || t`Unknown`;
  }
}

/** Behind the name, where there is room: what a call is about, or what a model call used. */
export function besideOf({ kind, detail, usage }: Span): string {
  if (kind === "tool" || kind === "agent") return detail;
  if (kind !== "model" || usage === null) return "";
  const [used, price] = [tokensIn(usage), usage.costUsd];
  return [used === null ? "" : t`${tokens(used)} tok`, price === null ? "" : cost(price)]
    .filter(Boolean)
    .join(" · ");
}

/** How long it took, as far as that is known. */
export function timeOf({ from, to, end, inBackground }: Span): string {
  return end === "cut" || (end === "running" && inBackground) ? "" : duration(to - from);
}

/** Each a fact of its own: for the tooltip, and for screen readers behind the name. */
export function factsOf(span: Span): string[] {
  const facts = [kindWords(span), timeWords(span)];
  if (span.kind === "model") {
    facts.push(span.name);
    const { ttftMs, usage } = span;
    if (ttftMs !== null) facts.push(t`first token after ${duration(ttftMs)}`);
    if (usage) facts.push(...usageWords(usage));
  }
  if (span.inBackground) facts.push(t`in the background`);
  if (span.kind === "tool" || span.kind === "agent") facts.push(span.detail);
  const waited = span.kind === "wait" ? 0 : waitedIn(span);
  if (waited > 0) facts.push(t`${duration(waited)} of it waiting`);
  return facts.filter(Boolean);
}

function kindWords({ kind }: Span): string {
  const words: Record<string, string | undefined> = {
    run: t`run`,
    model: t`model call`,
    tool: t`tool call`,
    agent: t`sub-agent`,
    hook: t`hook`,
  };
  return words[kind] ?? "";
}

function timeWords({ from, to, end, inBackground }: Span): string {
  const time = duration(to - from);
  // Nobody counts the time after the run.
  if (end === "running" && inBackground) return t`still running`;
  if (end === "running") return t`${time} so far`;
  if (end === "cut") return t`goes on after what is loaded`;
  if (end === "lost") return t`no end in the log`;
  return end === "error" ? t`failed after ${time}` : time;
}

function usageWords(usage: Usage): string[] {
  const { promptTokens, cachedTokens, completionTokens, costUsd } = usage;
  const input = promptTokens === null ? t`tokens in unknown` : t`${exact(promptTokens)} tokens in`;
  const cached =
    cachedTokens === null || promptTokens === null
      ? input
      : t`${input} (${exact(cachedTokens)} from the cache)`;
  const output = completionTokens === null ? t`tokens out unknown` : t`${exact(completionTokens)} tokens out`;
  return [cached, output, costUsd === null ? "" : exactCost(costUsd)];
}

function tokensIn({ promptTokens, completionTokens }: Usage): number | null {
  return promptTokens === null || completionTokens === null ? null : promptTokens + completionTokens;
}

function waitedIn({ pieces }: Span): number {
  return pieces.reduce((sum, { look, from, to }) => sum + (look === "wait" ? to - from : 0), 0);
}

function waitWords(reason: string): string {
  const words: Record<string, string | undefined> = {
    approval: t`Waiting for approval`,
    question: t`Waiting for an answer`,
    interrupted: t`Interrupted`,
    budget: t`Paused: limit reached`,
    plan: t`Paused: plan to approve`,
  };
  return words[reason] ?? t`Paused`;
}

function purposeWords(purpose: string): string | null {
  if (purpose === "compaction") return t`Summary for compaction`;
  return purpose === "reflection" ? t`Reflection` : null;
}
