/**
 * What commands print for terminals: colours and emphasis to classes, every other control sequence out of sight. Pure.
 * Nothing hides: concealed text is shown, and a background only swaps the two colours. What is no whole sequence stays
 * as it is.
 */
import type { TextStyle } from "../../protocol/generated";

/** A part that looks the same throughout; no classes are ordinary text. */
export type Run = { text: string; classes: string };

const ESC = "\u001b";
const BEL = "\u0007";
// Control sequences, operating system commands (titles, links), device control and other strings, and short ones.
const sequences = new RegExp(
  [
    `${ESC}\\[([0-?]*)([ -/]*[@-~])`,
    `${ESC}\\][^${BEL}${ESC}\\n]*(?:${BEL}|${ESC}\\\\)`,
    `${ESC}[PX^_][^${ESC}\\n]*${ESC}\\\\`,
    `${ESC}[ -/]+[0-~]`,
    `${ESC}[0-OQ-WYZ\\\\\`-~]`,
  ].join("|"),
  "g",
);

type Look = {
  /** One of the 16 colours; null is the text's own. */
  colour: number | null;
  background: number | null;
  inverse: boolean;
  flags: ReadonlySet<string>;
};

const ordinary: Look = { colour: null, background: null, inverse: false, flags: new Set() };

/** Adjacent runs look different. Without an escape character there is one, and nothing to do. */
export function ansiRuns(text: string): Run[] {
  if (!text.includes(ESC)) return [{ text, classes: "" }];
  const runs: Run[] = [];
  let [look, classes, at] = [ordinary, "", 0];
  const add = (end: number) => {
    if (end === at) return;
    const last = runs.at(-1);
    if (last?.classes === classes) last.text += text.slice(at, end);
    else runs.push({ text: text.slice(at, end), classes });
  };
  for (const found of text.matchAll(sequences)) {
    add(found.index);
    at = found.index + found[0].length;
    if (found[2] !== "m") continue;
    look = changed(look, found[1] ?? "");
    classes = classesOf(look);
  }
  add(text.length);
  return runs;
}

/** The text without control sequences. */
export function plainText(text: string): string {
  return text.includes(ESC) ? text.replace(sequences, "") : text;
}

/** The beginning of a line: at most so many characters of what is seen, whole sequences only. */
export function beginning(line: string, chars: number): string {
  if (line.length <= chars || !line.includes(ESC)) return line.slice(0, chars);
  let [kept, left, at] = ["", chars, 0];
  for (const found of line.matchAll(sequences)) {
    const words = line.slice(at, found.index).slice(0, left);
    left -= words.length;
    kept += words + found[0];
    at = found.index + found[0].length;
  }
  return kept + line.slice(at).slice(0, left);
}

/** A stored text with its styles as sequences in it, each line for itself. */
export function withStyles(text: string, styles: readonly TextStyle[]): string {
  let [out, at] = ["", 0];
  for (const [start, end, sgr] of styles) {
    const words = text.slice(start, end).replace(/[^\n]+/g, (line) => `${ESC}[${sgr}m${line}${ESC}[0m`);
    out += text.slice(at, start) + words;
    at = end;
  }
  return out + text.slice(at);
}

const sets: Record<number, string> = { 1: "bold", 2: "faint", 3: "italic", 4: "underline", 9: "strike" };
const resets: Record<number, readonly string[]> = {
  21: ["bold", "faint"],
  22: ["bold", "faint"],
  23: ["italic"],
  24: ["underline"],
  29: ["strike"],
};

function changed(look: Look, parameters: string): Look {
  // A sequence of someone's own, such as "\e[>4m".
  if (/[^0-9;:]/.test(parameters)) return look;
  const numbers = parameters.split(";").map((part) => part.split(":").map((digits) => Number(digits || 0)));
  let next = look;
  for (let at = 0; at < numbers.length; at += 1) {
    const [code = 0, ...sub] = numbers[at] ?? [];
    if (code === 38 || code === 48) {
      const rest = sub.length > 0 ? sub : numbers.slice(at + 1, at + 5).map(([number = 0]) => number);
      const [colour, used] = extended(rest, sub.length > 0);
      if (sub.length === 0) at += used;
      if (colour !== null) next = { ...next, [code === 38 ? "colour" : "background"]: colour };
    } else next = changedBy(next, code, sub[0]);
  }
  return next;
}

function changedBy(look: Look, code: number, sub: number | undefined): Look {
  if (code === 0) return ordinary;
  // "4:0" is no underline, other kinds of it are lines too.
  if (code === 4 && sub === 0) return changedBy(look, 24, undefined);
  const [set, reset] = [sets[code], resets[code]];
  if (set) {
    const other = set === "bold" ? "faint" : set === "faint" ? "bold" : "";
    return { ...look, flags: new Set([...look.flags, set].filter((flag) => flag !== other)) };
  }
  if (reset) return { ...look, flags: new Set([...look.flags].filter((flag) => !reset.includes(flag))) };
  if (code === 7 || code === 27) return { ...look, inverse: code === 7 };
  if (code >= 30 && code < 38) return { ...look, colour: code - 30 };
  if (code >= 90 && code < 98) return { ...look, colour: code - 82 };
  if (code === 39) return { ...look, colour: null };
  if (code >= 40 && code < 48) return { ...look, background: code - 40 };
  if (code >= 100 && code < 108) return { ...look, background: code - 92 };
  if (code === 49) return { ...look, background: null };
  return look;
}

/** The colour behind 38 or 48, and how many numbers say it. */
function extended([kind, ...rest]: number[], isSub: boolean): [number | null, number] {
  if (kind === 5) return [rest[0] === undefined ? null : indexed(rest[0]), 2];
  if (kind !== 2) return [null, 1];
  // Between colons there may be the number of a colour space first.
  const [red = 0, green = 0, blue = 0] = isSub && rest.length > 3 ? rest.slice(1) : rest;
  return [nearest([red, green, blue]), 4];
}

type Rgb = readonly [number, number, number];

const levels = [0, 95, 135, 175, 215, 255] as const;

function indexed(index: number): number | null {
  if (index < 16) return index;
  if (index > 255) return null;
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10;
    return nearest([grey, grey, grey]);
  }
  const at = index - 16;
  const level = (of: number) => levels[of % 6] ?? 0;
  return nearest([level(Math.floor(at / 36)), level(Math.floor(at / 6)), level(at)]);
}

/** The 16 as xterm has them; what they look like here is for the theme to say. */
const palette: readonly Rgb[] = [
  [0, 0, 0],
  [205, 0, 0],
  [0, 205, 0],
  [205, 205, 0],
  [0, 0, 238],
  [205, 0, 205],
  [0, 205, 205],
  [229, 229, 229],
  [127, 127, 127],
  [255, 0, 0],
  [0, 255, 0],
  [255, 255, 0],
  [92, 92, 255],
  [255, 0, 255],
  [0, 255, 255],
  [255, 255, 255],
];

function nearest([red, green, blue]: Rgb): number {
  let [best, least] = [0, Number.POSITIVE_INFINITY];
  for (const [index, [r, g, b]] of palette.entries()) {
    const distance = (red - r) ** 2 + (green - g) ** 2 + (blue - b) ** 2;
    if (distance < least) [best, least] = [index, distance];
  }
  return best;
}

function classesOf({ colour, background, inverse, flags }: Look): string {
  // Two colours could be the same.
  const swaps = inverse || background !== null;
  const shown = inverse ? colour : (background ?? colour);
  const classes = [...flags].sort().map((flag) => `ansi-${flag}`);
  if (shown !== null) classes.push(`ansi-${shown}`);
  if (swaps) classes.push("ansi-inverse");
  return classes.join(" ");
}
