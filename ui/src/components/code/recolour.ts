/** The colours of a text that was changed a little, before its own are known. Pure. */
import type { Span } from "./highlight";

/** By line. What was there before keeps its colour; what is new has that of what it follows. */
export function recoloured(before: readonly Span[][], code: string): Span[][] {
  const old = before.flatMap((line, at) => (at === 0 ? line : [{ text: "\n", color: null }, ...line]));
  const text = old.map((span) => span.text).join("");
  const most = Math.min(text.length, code.length);
  let head = 0;
  while (head < most && text[head] === code[head]) head += 1;
  let tail = 0;
  while (tail < most - head && text[text.length - 1 - tail] === code[code.length - 1 - tail]) tail += 1;
  const begin = cut(old, 0, head);
  const fresh = { text: code.slice(head, code.length - tail), color: begin.at(-1)?.color ?? null };
  return inLines([...begin, fresh, ...cut(old, text.length - tail, text.length)]);
}

function cut(spans: readonly Span[], from: number, to: number): Span[] {
  const out: Span[] = [];
  let at = 0;
  for (const { text, color } of spans) {
    const part = text.slice(Math.max(0, from - at), Math.max(0, to - at));
    if (part !== "") out.push({ text: part, color });
    at += text.length;
  }
  return out;
}

function inLines(spans: readonly Span[]): Span[][] {
  const lines: Span[][] = [[]];
  for (const { text, color } of spans) {
    text.split("\n").forEach((part, at) => {
      if (at > 0) lines.push([]);
      if (part !== "") lines.at(-1)?.push({ text: part, color });
    });
  }
  return lines;
}
