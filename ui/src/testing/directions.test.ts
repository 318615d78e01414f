/** The window mirrors itself for languages that are read to the left: nothing says "left" where it means "where a line begins". */
import { describe, expect, it } from "vitest";

const sources = Object.fromEntries(
  Object.entries(
    import.meta.glob<string>("../**/*.{ts,tsx,css}", { query: "?raw", import: "default", eager: true }),
  ).filter(([path]) => !/\.test\.|^\.\/|\/generated\//.test(path)),
);

const physical = [
  /^(left|right)$/,
  /^(margin|padding|border|inset|scroll-margin|scroll-padding)-(left|right)/,
  /^border-(top|bottom)-(left|right)-radius$/,
];
const physicalValue: [property: RegExp, value: RegExp][] = [
  [/^(text-align|float|clear)$/, /\b(left|right)\b/],
  [/^transform$/, /translate(X|3d)?\(/],
  [/^translate$/, /./],
  [/^background/, /\bto (left|right)\b|gradient\(-?\d+deg|\b(left|right)\b/],
  [/^box-shadow$/, /inset (?!0 |calc\(var\(--forth\))/],
];

function partsOf(value: string): string[] {
  const parts = [""];
  let depth = 0;
  for (const sign of value) {
    depth += sign === "(" ? 1 : sign === ")" ? -1 : 0;
    if (sign === " " && depth === 0) parts.push("");
    else parts.push(`${parts.pop()}${sign}`);
  }
  return parts;
}

/** Of four sides, the second and the fourth; of four corners, those beside each other. */
function isLopsided(property: string, value: string): boolean {
  const [a, b, c, d] = partsOf(value);
  if (d === undefined) return false;
  if (/^(margin|padding|inset|border-(width|style|color))$/.test(property)) return b !== d;
  return property === "border-radius" && (a !== b || c !== d);
}

function faultsOf(css: string): string[] {
  const declarations = [
    ...css.replace(/\/\*[\s\S]*?\*\//g, "").matchAll(/(?:^|[{;])\s*([a-z-]+)\s*:\s*([^;{}]+)/g),
  ];
  return declarations
    .map(([, property = "", value = ""]) => [property, value.trim().replace(/\s+/g, " ")] as const)
    .filter(
      ([property, value]) =>
        physical.some((one) => one.test(property)) ||
        physicalValue.some(([of, what]) => of.test(property) && what.test(value)) ||
        isLopsided(property, value),
    )
    .map(([property, value]) => `${property}: ${value}`);
}

describe("style sheets", () => {
  it("name sides by the way one reads", () => {
    const sheets = Object.entries(sources).filter(([path]) => path.endsWith(".css"));
    expect(sheets.length).toBeGreaterThan(25);
    const faults = sheets.flatMap(([path, css]) => faultsOf(css).map((fault) => `${path}: ${fault}`));
    expect(faults).toEqual([]);
  });

  it.each([
    "left: 0",
    "margin-left: 1em",
    "border-right: 0",
    "text-align: right",
    "float: left",
    "padding: 0 var(--s1) 0 calc(1px + var(--s2))",
    "border-radius: 4px 0 0 4px",
    "border-top-left-radius: 0",
    "transform: translateX(-50%)",
    "background: linear-gradient(to left, red, blue)",
    "background-position: right 4px center",
    "box-shadow: inset 2px 0 red",
  ])("would be found with %s", (fault) => {
    expect(faultsOf(`.a { color: red; ${fault}; }`)).toEqual([fault]);
  });

  it.each([
    "margin: 0 auto",
    "padding: 1px 2px 3px",
    "margin: 0 calc(-1 * var(--s2)) calc(-1 * var(--s2))",
    "border-radius: 0 0 4px 4px",
    "transform: translateY(-50%)",
    "inset-inline-start: 0",
    "text-align: end",
    "box-shadow: inset 0 0 0 1px red",
  ])("may say %s", (fine) => {
    expect(faultsOf(`.a { ${fine}; }`)).toEqual([]);
  });
});

describe("components", () => {
  const parts = Object.entries(sources).filter(([path]) => /\.tsx?$/.test(path));

  it("set no side of their own", () => {
    const sided = /\b(margin|padding|border)(Left|Right)\b|\b(left|right): `/;
    expect(parts.filter(([, text]) => sided.test(text)).map(([path]) => path)).toEqual([]);
  });

  it("ask which way one reads where arrow keys go sideways", () => {
    // Pure ones are handed the key as it is read; only what leads on and back is turned. Browsers' keys for the way back
    // are the same in every language.
    const handed = /\/(layers|tree_keys|direction|command_keys|shortcuts)\.ts$/;
    const sideways = /\bArrow(Left|Right)\b|\b(neighbour|movedTo)\([^)]*\bkey\b/;
    const asking = parts.filter(([path, text]) => sideways.test(text) && !handed.test(path));
    expect(asking.length).toBeGreaterThan(3);
    expect(asking.filter(([, text]) => !text.includes("readingKey(")).map(([path]) => path)).toEqual([]);
  });
});
