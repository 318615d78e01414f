/**
 * marked's lexer with bounds. By itself it calls itself for each quote, item, emphasis and link text within another,
 * and looks through the rest of a paragraph for each mark: ten thousand quotes in one another overflow its stack, and
 * a long line of asterisks takes it seconds. Model output is hostile, so what is deeper, or more, than anybody reads
 * stays as it was written. All of the text is always there.
 */
import { Lexer, type Token, type TokensList } from "marked";
import { cutOf } from "./cut";

/** Of quotes and items, and apart from that of emphasis and link texts. */
export const deepest = 20;
/** Of a paragraph that is looked through at once. */
const runChars = 4_000;
const mostMarks = 250;
const denseRunChars = 500;
/** The same characters are looked at again for each block within another, and for lines that continue one. */
const passes = 3 * deepest;

export class BoundedLexer extends Lexer {
  private blockDepth = 0;
  private inlineDepth = 0;
  /** Characters that blocks may still be looked for in. */
  private left = 0;

  override blockTokens(src: string, tokens?: Token[], lastParagraphClipped?: boolean): Token[];
  override blockTokens(src: string, tokens?: TokensList, lastParagraphClipped?: boolean): TokensList;
  override blockTokens(src: string, tokens: Token[] = [], lastParagraphClipped = false): Token[] {
    if (this.blockDepth === 0) this.left = passes * src.length;
    if (this.blockDepth >= deepest || src.length > this.left) {
      if (src !== "") tokens.push({ type: "as_written", raw: src });
      this.state.top = true;
      return tokens;
    }
    this.left -= src.length;
    this.blockDepth += 1;
    try {
      return super.blockTokens(src, tokens, lastParagraphClipped);
    } finally {
      this.blockDepth -= 1;
    }
  }

  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    if (this.inlineDepth >= deepest) {
      tokens.push({ type: "text", raw: src, text: src });
      return tokens;
    }
    this.inlineDepth += 1;
    try {
      for (const run of runsOf(src)) super.inlineTokens(run, tokens);
      return tokens;
    } finally {
      this.inlineDepth -= 1;
    }
  }
}

/** In one with more marks than prose has, what each of them could go with is looked for in less. */
function* runsOf(text: string): Generator<string> {
  let rest = text;
  while (rest.length > denseRunChars) {
    const near = rest.slice(0, runChars);
    const marks = near.match(/[*_~]+/g)?.length ?? 0;
    const run = marks > mostMarks ? near.slice(0, denseRunChars) : near;
    if (run.length === rest.length) break;
    const at = cutOf(run, true);
    yield rest.slice(0, at);
    rest = rest.slice(at);
  }
  yield rest;
}
