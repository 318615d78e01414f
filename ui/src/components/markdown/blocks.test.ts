import type { Token } from "marked";
import { describe, expect, it } from "vitest";
import { type Block, Blocks, type Group } from "./blocks";
import { newLexer } from "./math";

const samples = [
  "# Title\n\nSome *text*\nover two lines.\n\n\nAnother one.\n## Next\nright below\n",
  "1. one\n2. two\n   with more\n\n   and a paragraph\n3. three\n\nAfter it.\n",
  "- a\n  - b\n    - c\n- d\n\n- e\n* another list\n",
  "- code:\n  ```sh\n  ls\n\n  pwd\n  ```\n- next\n\n```rust\nfn main() {}\n\n// two\n```\nAfter.\n",
  "Before\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n| `x|y` | **3** |\n\nAfter\n",
  "Right before\n| a | b |\n|---|--:|\n| 1 | 2 |\n> quoted\n> more\nlazy\n\nText\n",
  "~~~\n```\nnot the end\n~~~\n    \n    indented\n\n    code\n\ntext\n",
  "Title\n===\n\nOther\n---\n\n***\n\n- - -\n",
  "Text with [a link][x].\n\n[x]: https://example.org/\n\nAnd [x] again.\n",
  "````md\n```js\n1\n```\n````\n  ```js\n  indented\n    more\n  ```\n",
  "5) five\n6) six\ntext of six\n# Heading\n7) seven\n",
  "Before\n$$\na\n- b\n\n> 0\n$$\nAfter\n",
  "\\[\n\\begin{aligned}\nx &= 1 \\\\\n+ y\n\\end{aligned}\n\\]\n\n$$ x\n= 1 $$\n# Heading\n",
  "- item\n\n  $$\n  x\n\n  y\n  $$\n- next\n\n> $$\n> z\n> $$\n",
  "It costs $$\n\n$$ a lot\n\n# Heading\n\n- item\n",
  "$$\nnever ends\n\n# Heading\n\n```sh\nls\n```\n\n- item\n",
  "One line without an end",
];

/** What there is to see, as marked tells it: kinds and words in order. */
function seen(tokens: readonly Token[]): string[] {
  return tokens.flatMap((token): string[] => {
    if (token.type === "space" || token.type === "def") return [];
    if (token.type === "list") {
      return token.items.flatMap((item: { tokens: Token[] }) => ["item", ...seen(item.tokens)]);
    }
    if (token.type === "table") return ["table", token.raw.trim()];
    if (token.type === "code") return ["code", token.text.trimEnd()];
    if (token.type === "text" || token.type === "paragraph") return [token.text.trim()];
    return [token.type, token.raw.trim()];
  });
}

const parsed = (text: string) => seen(newLexer().lex(text));

function seenIn(block: Block): string[] {
  if (block.kind === "code") return ["code", block.text.whole().trimEnd()];
  if (block.kind === "table") return ["table", [block.head, ...block.rows.chunks].join("\n").trim()];
  if (block.kind === "list") return block.items.flatMap((pieces) => parsed(pieces.join("")));
  if (block.kind === "formula") return parsed(block.source);
  return parsed(block.pieces.join(""));
}

function cut(text: string, size: number): Blocks {
  const blocks = new Blocks();
  for (let at = 0; at < text.length; at += size) blocks.append(text.slice(at, at + size));
  blocks.finish();
  return blocks;
}

const all = (blocks: Blocks) => blocks.groups.flatMap((group) => group.blocks);

describe("blocks", () => {
  it.each(samples)("are what marked finds in the whole text: %j", (text) => {
    expect(all(cut(text, text.length)).flatMap(seenIn)).toEqual(parsed(text));
  });

  it("are the same however the text comes in pieces", () => {
    const text = samples.join("\n\n");
    const whole = all(cut(text, text.length)).flatMap(seenIn);
    for (const size of [1, 2, 3, 7, 64])
      expect(all(cut(text, size)).flatMap(seenIn), `${size}`).toEqual(whole);
  });

  it("that are over are never made anew", () => {
    const blocks = new Blocks();
    const text = Array.from({ length: 400 }, (_, at) => `Paragraph ${at} of **some** words.\n\n`).join("");
    const known: Group[] = [];
    for (let at = 0; at < text.length; at += 5) {
      blocks.append(text.slice(at, at + 5));
      expect(blocks.groups.slice(0, known.length).every((group, place) => group === known[place])).toBe(true);
      for (const group of blocks.groups.slice(known.length)) if (!group.open) known.push(group);
    }
    expect(known.length).toBeGreaterThan(10);
  });

  it.each([
    ["paragraph", "word ".repeat(200_000)],
    ["line of code", `\`\`\`\n${"x".repeat(1_000_000)}`],
    ["item", `- ${"word ".repeat(200_000)}`],
    ["row", `| a |\n|---|\n| ${"x".repeat(1_000_000)} |`],
    ["quote", "> quoted words\n".repeat(60_000)],
    ["formula that never ends", `\\[\n${"word ".repeat(60)}\n`.repeat(3_000)],
    ["line of formulas that never end", "$$ word\n".repeat(100_000)],
  ])("keep no piece long in one %s of a megabyte", (_, text) => {
    for (const size of [512, text.length]) {
      for (const block of all(cut(text, size))) {
        if (block.kind === "formula") throw new Error("nothing closes it");
        const pieces =
          block.kind === "flow"
            ? block.pieces
            : block.kind === "list"
              ? block.items.flat()
              : (block.kind === "code" ? block.text : block.rows).chunks;
        expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan(25_000);
        if (block.kind === "flow") expect(block.pieces.join("").trimEnd()).toBe(text.trimEnd());
        if (block.kind === "code") expect(block.text.whole()).toBe("x".repeat(1_000_000));
      }
    }
  });
});
