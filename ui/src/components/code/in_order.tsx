import type { ReactNode } from "react";
import { codePoint } from "./invisible";
import { Boxed } from "./VisibleText";

/** Embeddings, overrides and isolates: with these, code reads differently from what it does. */
const turning = /([\u202a-\u202e\u2066-\u2069])/u;
/** In words the others are at home, where both directions are written. */
const overriding = /([\u202d\u202e])/u;

/** Of more than these nobody reads each: they stand in brackets, without an element for each. */
const mostBoxes = 500;

/** Text in the order that it has: a character that would turn others round is shown as what it is. */
export function inOrder(text: string, of: "code" | "words" = "code"): ReactNode {
  const shown = of === "words" ? overriding : turning;
  if (!shown.test(text)) return text;
  // Every second piece is such a character.
  const pieces = text.split(shown);
  if (pieces.length > 2 * mostBoxes)
    return pieces.map((piece, at) => (at % 2 === 1 ? `[${codePoint(piece)}]` : piece)).join("");
  return pieces.map((piece, at) => (at % 2 === 1 ? <Boxed key={`${at}`} char={piece} /> : piece));
}
