import { i18n } from "@lingui/core";
import { afterEach, expect, it } from "vitest";
import { figure, withDot } from "./typed_number";

afterEach(() => i18n.loadAndActivate({ locale: "en", messages: {} }));

it("a comma between digits is a decimal mark, and all else stays as it was typed", () => {
  i18n.loadAndActivate({ locale: "de", messages: {} });
  expect(["1,5", " -0,25 ", "1,500"].map(withDot)).toEqual(["1.5", "-0.25", "1.500"]);
  for (const typed of ["1.5", "1.000,5", "1,000,5", ",5", "1,", "a,5", "1, 5", ""])
    expect(withDot(typed)).toBe(typed);
});

it("where decimals have a dot, a comma before three digits may be one of thousands", () => {
  expect(withDot("1,5")).toBe("1.5");
  expect(withDot("1,500")).toBe("1,500");
});

it("figures have the language's decimal mark", () => {
  expect([1.5, 1000, 0].map(figure)).toEqual(["1.5", "1000", "0"]);
  i18n.loadAndActivate({ locale: "de", messages: {} });
  expect([1.5, 1000, 0].map(figure)).toEqual(["1,5", "1000", "0"]);
});
