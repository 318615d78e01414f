import { expect, it } from "vitest";
import type { SessionSummary } from "../../protocol/generated";
import { needsTwoLines } from "./title_width";

const titled = (title: string, more: Partial<SessionSummary> = {}) =>
  ({ title, origin: null, ...more }) as SessionSummary;

it("gives a second line to a title that is longer than the list is wide", () => {
  expect(needsTwoLines(titled("Fix the build"), 240)).toBe(false);
  expect(needsTwoLines(titled("Rename the widget API and its tests"), 240)).toBe(true);
  expect(needsTwoLines(titled("Rename the widget API and its tests"), 400)).toBe(false);
});

it("counts wide characters as such, and what stands beside the title", () => {
  expect(needsTwoLines(titled("👩‍🌾🌱🪴🌻🌱🪴🌻🌱🪴🌻"), 240)).toBe(true);
  expect(needsTwoLines(titled("שלום"), 240)).toBe(false);
  const title = "Rename the widget API no";
  const worktree = { project: "/p", branch: "b" };
  expect(needsTwoLines(titled(title), 242)).toBe(false);
  // It stands where the menu's button comes.
  expect(needsTwoLines(titled(title, { origin: "s" }), 242)).toBe(false);
  expect(needsTwoLines(titled(title, { origin: "s", worktree }), 242)).toBe(true);
});

it("takes no longer for a title without end, and gives none a second line where nothing has a size", () => {
  expect(needsTwoLines(titled("x".repeat(1_000_000)), 240)).toBe(true);
  expect(needsTwoLines(titled("x".repeat(500)), 0)).toBe(false);
});
