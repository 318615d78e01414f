import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import type { ModelEntry, UsageEntry, UsageReport } from "../../protocol/generated";
import { models } from "../../testing/configured";
import { createFake, fail } from "../../testing/fake";
import { renderOn } from "../../testing/render";
import { allTokens, columns, entriesIn, groupsBy, total } from "./report";
import { UsagePlace } from "./UsagePlace";

const used = (day: string, given: Partial<UsageEntry> = {}): UsageEntry => ({
  day,
  model: "openai/gpt-5.1",
  project: "/home/ada/code/arki",
  requests: 1,
  promptTokens: 1000,
  completionTokens: 100,
  cachedTokens: 400,
  knownCostUsd: 0.5,
  unknownPrompt: false,
  unknownCompletion: false,
  unknownCached: false,
  unknownCost: false,
  ...given,
});
const priceless = { knownCostUsd: 0, unknownCost: true };
const report = (...entries: UsageEntry[]): UsageReport => ({ today: "2026-11-22", entries });

describe("a usage report", () => {
  it("is cut to the days up to today, today among them", () => {
    const all = report(used("2026-10-23"), used("2026-10-24"), used("2026-11-15"), used("2026-11-16"));
    expect(entriesIn(all, "7").map((one) => one.day)).toEqual(["2026-11-16"]);
    expect(entriesIn(all, "30")).toHaveLength(3);
    expect(entriesIn(all, "all")).toHaveLength(4);
  });

  it("has a column for each day, also where nothing was used", () => {
    const days = columns(report(used("2026-11-20"), used("2026-11-22")), "7");
    expect(days.map((day) => [day.key, day.totals.requests])).toEqual([
      ["2026-11-16", 0],
      ["2026-11-17", 0],
      ["2026-11-18", 0],
      ["2026-11-19", 0],
      ["2026-11-20", 1],
      ["2026-11-21", 0],
      ["2026-11-22", 1],
    ]);
    expect(columns(report(used("2026-11-20")), "all")).toHaveLength(3);
    expect(columns(report(), "all").map((day) => day.key)).toEqual(["2026-11-22"]);
  });

  it("is by month where the days would be too many", () => {
    const months = columns(report(used("2026-01-31"), used("2026-03-01"), used("2026-03-02")), "all");
    expect(months.map((month) => month.totals.requests)).toEqual([1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0]);
    expect(months.at(-1)?.key).toBe("2026-11");
  });

  it("keeps what is unknown apart from what is nothing", () => {
    const sum = total([used("2026-11-22"), used("2026-11-22", { ...priceless, unknownPrompt: true })]);
    expect(sum.cost).toEqual({ known: 0.5, partial: true });
    expect(allTokens(sum)).toEqual({ known: 2200, partial: true });
    expect(sum.output.partial).toBe(false);
  });

  it("lists the dearest model first, and those without a price by their tokens", () => {
    const groups = groupsBy(
      [
        used("2026-11-22", { model: "local/small", ...priceless, promptTokens: 10 }),
        used("2026-11-22", { model: "local/big", ...priceless }),
        used("2026-11-21", { model: "cheap", knownCostUsd: 0.1 }),
        used("2026-11-22", { model: "dear" }),
      ],
      "model",
    );
    expect(groups.map((one) => one.key)).toEqual(["dear", "cheap", "local/big", "local/small"]);
  });
});

async function open(given: UsageReport | (() => never), known: ModelEntry[] = []) {
  const usage_report = typeof given === "function" ? given : () => given;
  await renderOn(createFake({ models: known, handlers: { usage_report } }), <UsagePlace open />);
  return screen.findByRole("region", { name: "Usage" });
}
const rows = (table: string) =>
  within(screen.getByRole("table", { name: table }))
    .getAllByRole("row")
    .slice(1)
    .map((row) => [...row.children].map((cell) => cell.textContent));

describe("the usage view", () => {
  it("says cost and tokens by day, by model and by project", async () => {
    await open(
      report(used("2026-11-21", { project: "/home/ada/other" }), used("2026-11-22", { requests: 2 })),
    );
    expect(rows("By day")).toEqual([
      ["Sun, November 22, 2026", "2", "1k", "400", "100", "$0.50"],
      ["Sat, November 21, 2026", "1", "1k", "400", "100", "$0.50"],
    ]);
    expect(rows("By model")).toEqual([["openai/gpt-5.1", "3", "2k", "800", "200", "$1.00"]]);
    expect(rows("By project").map(([name]) => name)).toEqual(["arki~/code/arki", "other~/other"]);
  });

  it("leaves the cost of a model without a price empty, and says which those are", async () => {
    await open(report(used("2026-11-22"), used("2026-11-22", { model: "lab/free", ...priceless })));
    expect(rows("By model").map((row) => row.at(-1))).toEqual(["$0.50", ""]);
    expect(screen.getByText("Not in the sums, because no price is known: lab/free.")).toBeTruthy();
    expect(screen.queryByText(/The cost of some requests is unknown/)).toBeNull();
  });

  it("doesn't say of a model with a price that it has none", async () => {
    const price = { input: 1, output: 1, cachedInput: null, cacheWrite: null, tiers: [] };
    const known = models.map((model) => ({ ...model, price }));
    await open(report(used("2026-11-22", priceless)), known);
    expect(screen.queryByText(/no price is known/)).toBeNull();
    expect(screen.getByText(/The cost of some requests is unknown/)).toBeTruthy();
  });

  it("says what is unknown, and never shows it as zero", async () => {
    await open(
      report(
        used("2026-11-21", { ...priceless, promptTokens: 0, unknownPrompt: true, cachedTokens: 0 }),
        used("2026-11-22"),
      ),
    );
    expect(rows("By day")[1]).toEqual(["Sat, November 21, 2026", "1", "unknown", "0", "100", ""]);
    expect(rows("By model")[0]).toEqual(["openai/gpt-5.1", "2", "≥ 1k", "400", "200", "≥ $0.50"]);
    expect(screen.getByText(/The cost of some requests is unknown/)).toBeTruthy();
  });

  it("shows another time range", async () => {
    await open(report(used("2026-09-01"), used("2026-11-22")));
    expect(rows("By day")).toHaveLength(1);
    await userEvent.click(screen.getByRole("radio", { name: "90 days" }));
    expect(rows("By day")).toHaveLength(2);
    await userEvent.click(screen.getByRole("radio", { name: "7 days" }));
    expect(rows("By day")).toHaveLength(1);
  });

  it("shows the first of many, and the others when asked to", async () => {
    const models = Array.from({ length: 9 }, (_, n) => used("2026-11-22", { model: `m${n}` }));
    await open(report(...models));
    expect(rows("By model")).toHaveLength(7);
    const more = screen.getByRole("button", { name: "Show 2 more", expanded: false });
    await userEvent.click(more);
    expect(rows("By model").map(([name]) => name)).toEqual(models.map((one) => one.model));
    await userEvent.click(screen.getByRole("button", { name: "Show fewer", expanded: true }));
    expect(rows("By model")).toHaveLength(7);
  });

  it("says of less than a cent that there is more", async () => {
    const cheap = { knownCostUsd: 0.003, unknownCost: true };
    await open(report(used("2026-11-22", cheap)));
    expect(rows("By model")[0]?.at(-1)).toBe("> $0.00");
  });

  it("teaches where there is nothing", async () => {
    await open(report());
    expect(screen.getByText(/Nothing used yet/)).toBeTruthy();
  });

  it("says what failed and tries again", async () => {
    const failing = vi.fn(() => fail("DB_BUSY", "The database is busy."));
    await open(failing);
    expect(await screen.findByText("The database is busy.")).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Try again" }));
    expect(failing).toHaveBeenCalledTimes(2);
  });
});

/** What is to be seen of the plot: its scale, and of each column the heights of its pieces, in hundredths. */
function plot() {
  const all = (name: string, within: Element = document.body) => [
    ...within.querySelectorAll<HTMLElement>(name),
  ];
  return {
    scale: all(".usage-scale").map((one) => one.textContent),
    columns: all(".usage-column").map((column) => ({
      says: column.title,
      text: column.textContent,
      pieces: all(".usage-piece", column).map(({ style }) => Math.round(Number.parseFloat(style.height))),
    })),
    legend: all(".usage-legend > span").map((one) => one.textContent),
  };
}

describe("the plot of the days", () => {
  it("shows cost, and marks days of which more is unknown", async () => {
    await open(
      report(
        used("2026-11-20", { knownCostUsd: 0.25 }),
        used("2026-11-21", { ...priceless, day: "2026-11-21" }),
        used("2026-11-22"),
      ),
    );
    await userEvent.click(screen.getByRole("radio", { name: "7 days" }));
    const { scale, columns, legend } = plot();
    expect(scale).toEqual(["$0.50"]);
    expect(columns.slice(-4)).toEqual([
      { says: "Thu, November 19, 2026: nothing used", text: "", pieces: [] },
      { says: "Fri, November 20, 2026: $0.25", text: "", pieces: [50] },
      { says: "Sat, November 21, 2026: unknown", text: "?", pieces: [] },
      { says: "Sun, November 22, 2026: $0.50", text: "", pieces: [100] },
    ]);
    expect(legend).toEqual(["? more than is known"]);
  });

  it("shows tokens by what they were, with a legend", async () => {
    await open(report(used("2026-11-21"), used("2026-11-22", { promptTokens: 400, cachedTokens: 500 })));
    await userEvent.click(screen.getByRole("radio", { name: "7 days" }));
    expect(plot().legend).toEqual([]);
    await userEvent.click(screen.getByRole("radio", { name: "Tokens" }));
    const { scale, columns, legend } = plot();
    expect(scale).toEqual(["1.1k"]);
    expect(columns.slice(-2).map(({ pieces }) => pieces)).toEqual([
      [9, 55, 36],
      [9, 36],
    ]);
    expect(legend).toEqual(["in, cached", "in", "out"]);
  });

  it("begins with tokens where no cost is known, whose plot has no scale", async () => {
    await open(report(used("2026-11-22", priceless)));
    expect(screen.getByRole<HTMLInputElement>("radio", { name: "Tokens" }).checked).toBe(true);
    expect(plot().scale).toEqual(["1.1k"]);
    await userEvent.click(screen.getByRole("radio", { name: "Cost" }));
    expect(plot().scale).toEqual(["unknown"]);
  });
});
