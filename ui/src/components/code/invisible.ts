/**
 * Characters that hide: whitespace that matters, zero-width characters, and bidirectional controls, which can
 * make code read differently from what it does. Pure: text to pieces, each with how it must be shown.
 */
export type Piece = { kind: "text" | "tab" | "space" | "boxed"; text: string };

// Bidi controls, zero-width characters, soft hyphen, byte order mark, line and paragraph separators, other
// controls (tab and newline are told apart below), no-break and exotic spaces, tag characters.
const boxed =
  /[\p{Cc}\u00a0\u00ad\u061c\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/u;
// Of these, what a text area shows as nothing, or as another order than it has.
const hidden =
  /[\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/u;

/** Whether a text that is shown as it is, such as one that is being edited, would hide something. */
export function hasHidden(text: string): boolean {
  return hidden.test(text);
}

export function codePoint(char: string): string {
  if (char === "\r") return "CR";
  if (char === "\u00a0") return "NBSP";
  return `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Text in which nothing hides, for where only a string can stand, such as an option or a name. */
export function visibleWords(text: string): string {
  const words = ({ kind, text }: Piece) => (kind === "boxed" ? `[${codePoint(text)}]` : text);
  return pieces(text, text.length).map(words).join("");
}

/** `from` and `to` bound the trailing whitespace of the whole line when `text` is only a part of it. */
export function pieces(text: string, trailingFrom: number, offset = 0): Piece[] {
  const out: Piece[] = [];
  let at = offset;
  for (const char of text) {
    const kind = kindOf(char, at >= trailingFrom);
    const last = out.at(-1);
    if (last && last.kind === kind && kind !== "boxed") last.text += char;
    else out.push({ kind, text: char });
    at += char.length;
  }
  return out;
}

function kindOf(char: string, trailing: boolean): Piece["kind"] {
  if (char === "\t") return "tab";
  if (char === " ") return trailing ? "space" : "text";
  return char !== "\n" && boxed.test(char) ? "boxed" : "text";
}

export function trailingStart(line: string): number {
  return line.replace(/[ \t\r]+$/, "").length;
}
