import { describe, expect, it } from "vitest";
import { type MathToken, newLexer } from "./math";

const found = (text: string) =>
  newLexer()
    .inlineTokens(text)
    .filter((token): token is MathToken => token.type === "math")
    .map(({ tex, display }) => (display ? [tex] : tex));

describe("math in Markdown", () => {
  it.each<[string, (string | string[])[]]>([
    ["Let $x$ and $y_1 * z_2$ be.", ["x", "y_1 * z_2"]],
    ["the $n$th of **all $k$**, ($a$)", ["n", "a"]],
    ["$a\\$b$ and \\$c$", ["a\\$b"]],
    ["$$x = 1$$ in a line", [["x = 1"]]],
    ["\\(x + (y)\\) and \\[ z\n= 1 \\]", ["x + (y)", ["z\n= 1"]]],
    ["$a\nb$", ["a\nb"]],
  ])("is found in %j", (text, formulas) => {
    expect(found(text)).toEqual(formulas);
  });

  it.each([
    "costs $5 and $6",
    "costs $5, not $ 6$",
    "from $5-$10 to $20",
    "$ x$ and $x $",
    "set $HOME or `$PATH` or `$x$`",
    "\\$x\\$",
    "$a\n\nb$",
    "$$ $$",
    "$$$x$$$",
    "\\[text\\](https://example.org/)",
    "\\(never closed",
    "$",
  ])("is not found in %j", (text) => {
    expect(found(text)).toEqual([]);
  });

  it("is looked for once in ten thousand dollars", () => {
    for (const text of [
      "$".repeat(10_000),
      "$a ".repeat(10_000),
      "\\(".repeat(10_000),
      "$$ ".repeat(10_000),
    ]) {
      const tokens = newLexer().inlineTokens(text);
      expect(tokens.map(({ raw }) => raw).join("")).toBe(text);
    }
  });
});
