/** One design in every style sheet: sizes of text, radii, shadows and heights of controls come from the tokens alone. */
import { expect, it } from "vitest";

const sheets = Object.entries(
  import.meta.glob<string>("../**/*.css", { query: "?raw", import: "default", eager: true }),
).filter(([path]) => !path.endsWith("/tokens.css"));

/** What declares a property otherwise than in one of these ways. */
function others(property: RegExp, allowed: RegExp): string[] {
  const declarations = /(?:^|[{;])\s*([a-z-]+)\s*:\s*([^;{}]+)/g;
  return sheets.flatMap(([path, css]) =>
    [...css.replace(/\/\*[\s\S]*?\*\//g, "").matchAll(declarations)]
      .map(([, name = "", value = ""]) => [name, value.trim().replace(/\s+/g, " ")] as const)
      .filter(([name, value]) => property.test(name) && !allowed.test(value))
      .map(([name, value]) => `${path}: ${name}: ${value}`),
  );
}

it("has four sizes of text", () => {
  expect(sheets.length).toBeGreaterThan(25);
  expect(others(/^font-size$/, /^(var\(--size(-small|-code|-heading)?\)|inherit)$/)).toEqual([]);
  const whole =
    /^(inherit|var\(--size(-small|-code)?\) \/ var\(--leading(-small|-code)?\) var\(--(font|mono)\))$/;
  expect(others(/^font$/, whole)).toEqual([]);
});

it("has one radius, and one for what stands within a line", () => {
  expect(
    others(/^border(-[a-z-]+)?-radius$/, /^(50%|(0 0 )?var\(--radius(-mark)?\)( var\(--radius\))?)$/),
  ).toEqual([]);
});

it("has one elevation", () => {
  expect(others(/^box-shadow$/, /^(var\(--shadow\)|inset .*)$/)).toEqual([]);
});
