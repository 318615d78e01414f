/** The contrast that the tokens promise, computed from the tokens themselves (WCAG 2.2 on OKLCH). */
import { describe, expect, it } from "vitest";
import ansi from "../components/code/ansi.css?raw";
import more from "../styles/high_contrast.css?raw";
import tokens from "../styles/tokens.css?raw";

type Theme = "light" | "dark";
const oklch = /oklch\(([\d.]+) ([\d.]+) ([\d.]+)\)/;

function colour(name: string, theme: Theme, first = ""): string {
  const value = new RegExp(`--${name}: ([^;]+);`).exec(first + tokens)?.[1] ?? "";
  const alias = /^var\(--([\w-]+)\)$/.exec(value)?.[1];
  if (alias) return colour(alias, theme, first);
  const both = /^light-dark\((oklch\([^)]*\)), (oklch\([^)]*\))\)$/.exec(value);
  return both?.[theme === "light" ? 1 : 2] ?? "";
}

/** Relative luminance; OKLab to linear sRGB after https://bottosson.github.io/posts/oklab/. */
function luminance(value: string): number {
  const [, l = NaN, c = NaN, h = NaN] = (oklch.exec(value) ?? []).map(Number);
  const a = c * Math.cos((h * Math.PI) / 180);
  const b = c * Math.sin((h * Math.PI) / 180);
  const x = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const y = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const z = (l - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const clamp = (v: number) => Math.min(1, Math.max(0, v));
  const red = clamp(4.0767416621 * x - 3.3077115913 * y + 0.2309699292 * z);
  const green = clamp(-1.2684380046 * x + 2.6097574011 * y - 0.3413193965 * z);
  const blue = clamp(-0.0041960863 * x - 0.7034186147 * y + 1.707614701 * z);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string, theme: Theme, first = ""): number {
  const [a, b] = [luminance(colour(one, theme, first)), luminance(colour(other, theme, first))];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

const grounds = ["surface", "surface-2", "surface-code", "hover", "pressed"];
const secondary: [string, string][] = [
  ...grounds.map((ground): [string, string] => ["text-2", ground]),
  ["accent", "surface"],
  ["on-accent", "accent"],
  ["on-danger", "danger"],
  ["on-danger", "danger-strong"],
  ["added", "surface"],
  ["removed", "surface"],
  ["attention", "surface-2"],
  ["attention", "attention-soft"],
  ["danger", "danger-soft"],
  ["text-2", "danger-soft"],
  ...["constant", "string", "comment", "keyword", "function"].flatMap((kind): [string, string][] =>
    ["surface-code", "added-line", "removed-line"].map((ground) => [`code-token-${kind}`, ground]),
  ),
];

const diffs = ["added-line", "removed-line"];
const high: [string, string][] = [
  ...secondary,
  ...[...grounds, ...diffs, "added-word", "removed-word"].map((ground): [string, string] => ["text", ground]),
  ...["surface", ...diffs].map((ground): [string, string] => ["n9", ground]),
  ...diffs.map((ground): [string, string] => ["text-2", ground]),
  ["added", "added-line"],
  ["removed", "removed-line"],
  ["accent", "surface-2"],
  ["accent", "hover"],
  ["n8", "surface"],
  ["focus", "surface"],
  ["focus", "surface-2"],
];

describe.each<Theme>(["light", "dark"])("with high contrast, in the %s theme", (theme) => {
  it.each(high)("%s reads on %s", (text, ground) => {
    expect(contrast(text, ground, theme, more)).toBeGreaterThanOrEqual(7);
  });
  it.each(["surface", "surface-2", "hover"])("borders of controls and lines are seen on %s", (ground) => {
    expect(contrast("line-strong", ground, theme, more)).toBeGreaterThanOrEqual(4.5);
    expect(contrast("line", ground, theme, more)).toBeGreaterThanOrEqual(3);
  });
  it.each(["added", "removed"])("what is %s stands out from its line, and that from the others", (kind) => {
    expect(contrast(`${kind}-word`, `${kind}-line`, theme, more)).toBeGreaterThanOrEqual(1.3);
    expect(contrast(`${kind}-line`, "surface", theme, more)).toBeGreaterThanOrEqual(1.1);
  });
});

describe.each<Theme>(["light", "dark"])("in the %s theme", (theme) => {
  it.each([...grounds, "added-line", "removed-line", "added-word", "removed-word"])(
    "body text reads on %s",
    (ground) => {
      expect(contrast("text", ground, theme)).toBeGreaterThanOrEqual(7);
    },
  );
  it.each(secondary)("%s reads on %s", (text, ground) => {
    expect(contrast(text, ground, theme)).toBeGreaterThanOrEqual(4.5);
  });
  it.each(Array.from({ length: 16 }, (_, index) => index))(
    "a command's colour %i reads on a card",
    (index) => {
      const name = new RegExp(`\\.ansi-${index} {\\s*--ansi: var\\(--([\\w-]+)\\)`).exec(ansi)?.[1] ?? "";
      for (const ground of ["surface", "surface-code", "hover"]) {
        expect(contrast(name, ground, theme), ground).toBeGreaterThanOrEqual(4.5);
        expect(contrast(name, ground, theme, more), `${ground}, high contrast`).toBeGreaterThanOrEqual(7);
      }
    },
  );
});
