/** Sums of a usage report over a range of days. Pure. What is unknown stays so: it is never counted as zero. */
import type { UsageEntry, UsageReport } from "../../protocol/generated";

export type Range = "7" | "30" | "90" | "all";

/** What the plots show. */
export type Measure = "cost" | "tokens";

/** A sum of what is known; `partial` where there was more. */
export type Sum = { known: number; partial: boolean };

export type Totals = { requests: number; input: Sum; cached: Sum; output: Sum; cost: Sum };

/** A day, a month, a model or a project, with what it used. */
export type Group = { key: string; totals: Totals };

/** More columns than this are too thin to be told apart: then they are months. */
const mostDays = 100;

const none: Sum = { known: 0, partial: false };
const noTotals: Totals = { requests: 0, input: none, cached: none, output: none, cost: none };

/** Input and output together. */
export function allTokens({ input, output }: Totals): Sum {
  return { known: input.known + output.known, partial: input.partial || output.partial };
}

/** Whether there is something of which nothing is known. */
export function isUnknown({ known, partial }: Sum): boolean {
  return known === 0 && partial;
}

export function measured(totals: Totals, measure: Measure): Sum {
  return measure === "cost" ? totals.cost : allTokens(totals);
}

export function entriesIn({ today, entries }: UsageReport, range: Range): UsageEntry[] {
  if (range === "all") return entries;
  const first = dayBefore(today, daysOf(range) - 1);
  return entries.filter((entry) => entry.day >= first && entry.day <= today);
}

const daysOf = (range: Range) => (range === "all" ? 1 : Number(range));

export function total(entries: readonly UsageEntry[]): Totals {
  return entries.reduce(plus, noTotals);
}

/** The dearest first; among those whose cost is unknown, the one with most tokens. */
export function groupsBy(entries: readonly UsageEntry[], key: "model" | "project"): Group[] {
  const groups = grouped(entries, (entry) => entry[key]);
  const size = ({ totals }: Group) => [totals.cost.known, allTokens(totals).known] as const;
  return groups.sort((a, b) => {
    const [[costA, tokensA], [costB, tokensB]] = [size(a), size(b)];
    return costB - costA || tokensB - tokensA || a.key.localeCompare(b.key);
  });
}

/** The models of which no cost is known; `others`: whether some requests of the rest have no cost either. */
export function withoutCost(entries: readonly UsageEntry[]): { models: string[]; others: boolean } {
  const groups = groupsBy(entries, "model").filter(({ totals }) => totals.cost.partial);
  const models = groups.filter(({ totals }) => isUnknown(totals.cost)).map(({ key }) => key);
  return { models, others: groups.length > models.length };
}

/** Every day of the range, or every month where these would be too many; the oldest first, with those without usage. */
export function columns(report: UsageReport, range: Range): Group[] {
  const entries = entriesIn(report, range);
  const used = [report.today, ...entries.map((entry) => entry.day)].sort();
  const first = (range === "all" ? used[0] : undefined) ?? dayBefore(report.today, daysOf(range) - 1);
  const last = used.at(-1) ?? report.today;
  const days = Math.round((time(last) - time(first)) / dayMs) + 1;
  const byMonth = days > mostDays;
  const totals = new Map(
    grouped(entries, ({ day }) => (byMonth ? day.slice(0, "2026-11".length) : day)).map((one) => [
      one.key,
      one.totals,
    ]),
  );
  const keys = byMonth ? months(first, last) : Array.from({ length: days }, (_, n) => dayBefore(first, -n));
  return keys.map((key) => ({ key, totals: totals.get(key) ?? noTotals }));
}

function grouped(entries: readonly UsageEntry[], keyOf: (entry: UsageEntry) => string): Group[] {
  const groups = new Map<string, Totals>();
  for (const entry of entries) {
    const key = keyOf(entry);
    groups.set(key, plus(groups.get(key) ?? noTotals, entry));
  }
  return [...groups].map(([key, totals]) => ({ key, totals }));
}

function plus(totals: Totals, entry: UsageEntry): Totals {
  return {
    requests: totals.requests + entry.requests,
    input: added(totals.input, entry.promptTokens, entry.unknownPrompt),
    cached: added(totals.cached, entry.cachedTokens, entry.unknownCached),
    output: added(totals.output, entry.completionTokens, entry.unknownCompletion),
    cost: added(totals.cost, entry.knownCostUsd, entry.unknownCost),
  };
}

function added(sum: Sum, known: number, partial: boolean): Sum {
  return { known: sum.known + known, partial: sum.partial || partial };
}

const dayMs = 86_400_000;
const time = (day: string) => Date.parse(`${day}T00:00:00Z`);

function dayBefore(day: string, days: number): string {
  return new Date(time(day) - days * dayMs).toISOString().slice(0, "2026-11-22".length);
}

function months(first: string, last: string): string[] {
  const found: string[] = [];
  const [year = 0, month = 1] = first.split("-").map(Number);
  for (let n = 0; ; n += 1) {
    const key = new Date(Date.UTC(year, month - 1 + n, 1)).toISOString().slice(0, "2026-11".length);
    if (key > last) return found;
    found.push(key);
  }
}
