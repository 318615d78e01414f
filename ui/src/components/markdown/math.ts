/**
 * Formulas in Markdown, as tokens of marked's: `$…$`, `$$…$$`, `\(…\)` and `\[…\]`. Only where they are is found here; what
 * they say is KaTeX's to read. Dollars are mostly money and names of variables, so the rules are pandoc's: no space
 * after the first one, none before the last one, no digit behind it; what doesn't fit stays text.
 */
import { Marked, type TokenizerExtension, type Tokens } from "marked";
import { BoundedLexer } from "./bounded_lexer";

export type MathToken = Tokens.Generic & { type: "math"; tex: string; display: boolean };

/** A longer one is shown as it was written. */
export const maxFormulaChars = 4_000;

const blankLine = /\n[ \t]*\n/;
/** What opens a formula that has its lines to itself. */
const opening = /^ {0,3}(\$\$|\\\[)[ \t]*(.*)$/;

/** How a formula over several lines ends, and whether it may have blank lines; null where none begins. */
export function formulaBegunBy(line: string): { closer: string; alone: boolean } | null {
  const found = opening.exec(line);
  if (!found) return null;
  const closer = found[1] === "$$" ? "$$" : "\\]";
  const rest = found[2] ?? "";
  return rest.includes(closer) ? null : { closer, alone: rest === "" };
}

/** A whole one, with its delimiters. */
export function texOf(source: string): string {
  return source.trim().slice(2, -2).trim();
}

const block: TokenizerExtension = {
  name: "mathBlock",
  level: "block",
  start: (src) => {
    const at = src.search(/\n {0,3}(?:\$\$|\\\[)/);
    return at < 0 ? undefined : at + 1;
  },
  tokenizer(src) {
    const line = /^[^\n]*/.exec(src)?.[0] ?? "";
    const begun = formulaBegunBy(line);
    if (!begun) return undefined;
    const near = src.slice(0, maxFormulaChars);
    const close = near.indexOf(begun.closer, line.length);
    if (close < 0) return undefined;
    const rest = /^[ \t]*(?:\n|$)/.exec(src.slice(close + 2));
    const source = src.slice(0, close + 2);
    if (!rest || (!begun.alone && blankLine.test(source))) return undefined;
    return math(source + rest[0], texOf(source), true);
  },
};

const inline: TokenizerExtension = {
  name: "mathInline",
  level: "inline",
  // At a backslash marked stops by itself.
  start: (src) => {
    const at = src.indexOf("$");
    return at < 0 ? undefined : at;
  },
  tokenizer(src) {
    if (src.startsWith("\\(")) return between(src, "\\)", false);
    if (src.startsWith("\\[")) return between(src, "\\]", true);
    const dollars = /^\$+/.exec(src)?.[0];
    if (dollars === undefined) return undefined;
    const found =
      dollars.length === 1 ? money(src) : dollars.length === 2 ? between(src, "$$", true) : undefined;
    // All of them at once: one of many that open nothing is not an opening either.
    return found ?? { type: "text", raw: dollars, text: dollars };
  },
};

function between(src: string, closer: string, display: boolean): MathToken | undefined {
  const close = src.slice(0, maxFormulaChars).indexOf(closer, 2);
  if (close < 0) return undefined;
  const tex = src.slice(2, close).trim();
  // Brackets that were escaped so that they make no link.
  const isLink = closer === "\\]" && src[close + 2] === "(";
  if (tex === "" || isLink || blankLine.test(tex)) return undefined;
  return math(src.slice(0, close + 2), tex, display);
}

/** Between two dollars: the next one that isn't escaped decides. */
function money(src: string): MathToken | undefined {
  const found = /^\$([^\s$`\\](?:[^$`\\]|\\[\s\S])*|\\[\s\S](?:[^$`\\]|\\[\s\S])*)\$(?!\d)/.exec(
    src.slice(0, maxFormulaChars),
  );
  const tex = found?.[1];
  if (found === null || tex === undefined || /\s$/.test(tex) || blankLine.test(tex)) return undefined;
  return math(found[0], tex, false);
}

const math = (raw: string, tex: string, display: boolean): MathToken => ({ type: "math", raw, tex, display });

/** Apart from marked's own, which others may use. */
const options = new Marked({ gfm: true, extensions: [block, inline] }).defaults;

export const newLexer = () => new BoundedLexer({ ...options });
