/**
 * Characters that hide: whitespace that matters, zero-width characters, and bidirectional controls, which can
 * make code read differently from what it does. Pure: text to pieces, each with how it must be shown.
 */
export type Piece = { kind: "text" | "tab" | "space" | "boxed"; text: string };

// Bidi controls, zero-width characters, soft hyphen, byte order mark, line and paragraph separators, other
// controls (tab and newline are told apart below), no-break and exotic spaces, tag characters.
const boxed =
  /[\p{Cc}\u00a0\u00ad\u061c\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/u;
const bidi = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

export function hasBidi(text: string): boolean {
  return bidi.test(text);
}

export function codePoint(char: string): string {
  if (char === "\r") return "CR";
  if (char === "\u00a0") return "NBSP";
  return `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
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
