/** Hostile text is drawn like any other: nothing overflows, and none of it is lost. */
import { render } from "@testing-library/react";
import type { Token } from "marked";
import { describe, expect, it } from "vitest";
import { Blocks } from "./blocks";
import { deepest } from "./bounded_lexer";
import { Markdown } from "./Markdown";
import { newLexer } from "./math";

const many = 10_000;
const megabyte = 1_000_000;
/** Of a longer one the rest is code. */
const fenceChars = 401;

const drawn = (text: string) => render(<Markdown text={text} onLink={() => {}} />).container;

/** How many of them are within one another. */
function depth(el: Element, selector: string): number {
  const within = [...el.children].map((one) => depth(one, selector));
  return Math.max(0, ...within) + (el.matches(selector) ? 1 : 0);
}

describe("ten thousand blocks within one another", () => {
  it.each([
    ["quotes", ">", "blockquote"],
    ["quotes with spaces", "> ", "blockquote"],
    ["items", "- ", "li"],
    ["numbered items", "1) ", "li"],
    ["quotes and items", "> - ", "li"],
  ])("%s: the outer ones are drawn, the rest stands as it was written", (_, mark, selector) => {
    const count = Math.min(many, Math.floor(20_000 / mark.length));
    const el = drawn(`${mark.repeat(count)}deep`);
    const deep = depth(el, selector);
    expect(deep).toBeGreaterThan(5);
    expect(deep).toBeLessThanOrEqual(deepest);
    expect(el.textContent).toContain(`${mark.repeat(count - deepest)}deep`);
  });

  it("with lines that continue them", () => {
    const el = drawn(`${">".repeat(30)} one\ntwo\n`.repeat(300));
    expect(el.textContent?.match(/one/g)).toHaveLength(300);
    expect(el.textContent?.match(/two/g)).toHaveLength(300);
  });

  it("with text after them that is as it ever is", () => {
    const el = drawn(`${">".repeat(many)}\n\nAnd **then**`);
    expect(el.querySelector("strong")?.textContent).toBe("then");
  });
});

/** The characters of a text without what is markup. */
const letters = (text: string | null) => text?.replace(/[^a-z]/g, "") ?? "";

describe("ten thousand marks within one another", () => {
  it.each([
    ["emphasis", "*a ", "*"],
    ["strong and emphasis by turns", "**a _b ", "_**"],
    ["struck through", "~~a ", "~~"],
    ["links", "[a](", ")"],
    ["links of links", "[", "](b)"],
    ["links by name", "[", "][b]"],
    ["pictures", "![", "](b)"],
    ["brackets", "[", "]"],
    ["parentheses", "(", ")"],
    ["code", "`a", "`"],
    ["formulas", "$a", "$"],
    ["tags", "<a ", "</a>"],
  ])("%s", (_, open, close) => {
    const text = `${open.repeat(many)}word${close.repeat(many)}`;
    const leaves = (tokens: readonly Token[]): string =>
      tokens.map((token) => ("tokens" in token && token.tokens ? leaves(token.tokens) : token.raw)).join("");
    expect(letters(leaves(newLexer().inlineTokens(text)))).toContain("word");
    expect(depth(drawn(text), "em, strong, del, a")).toBeLessThanOrEqual(deepest);
  });
});

describe("a line of a megabyte", () => {
  const marks = "*_~`[](){}<>#!|\\$&+-=:@./^'\"; \t0";
  it.each([...marks, "**a ", "*a _", "[a](b", "- ", "1) ", "> ", "| a ", "<a ", "&#", "http://a", "a@b.c "])(
    "of %j is cut, drawn and never lost",
    (mark) => {
      const line = mark.repeat(megabyte / mark.length);
      for (const text of [line, `before\n${line}x\nafter`]) {
        const blocks = new Blocks();
        blocks.append(text);
        blocks.finish();
        const kept = blocks.groups.flatMap((group) => group.blocks).map(sourceOf);
        const fence = "`~".includes(mark) ? `${mark.repeat(fenceChars)}` : "";
        expect((fence + kept.join("")).replace(/\s/g, "").length).toBe(text.replace(/\s/g, "").length);
        expect(drawn(text).textContent).not.toBeNull();
      }
    },
  );

  it("that looks like what is below a table's head", () => {
    expect(drawn(`| a\n-${" ".repeat(megabyte)}x`).textContent).toContain("| a");
  });

  it("of a heading is shown in full, also as it comes in pieces", () => {
    const text = `# ${"word ".repeat(500)}end\nnext`;
    for (const size of [7, text.length]) {
      const blocks = new Blocks();
      for (let at = 0; at < text.length; at += size) blocks.append(text.slice(at, at + size));
      blocks.finish();
      const kept = blocks.groups.flatMap((group) => group.blocks).map(sourceOf);
      expect(kept.join("\n")).toBe(text);
    }
  });
});

type Drawn = Blocks["groups"][number]["blocks"][number];

function sourceOf(block: Drawn): string {
  if (block.kind === "code") return block.text.whole();
  if (block.kind === "table") return block.head + block.rows.whole();
  if (block.kind === "list") return block.items.flat().join("");
  return block.kind === "formula" ? block.source : block.pieces.join("");
}
