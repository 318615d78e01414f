/** Figures as people type and read them, some of them with a decimal comma. JSON has the dot alone. */
import { i18n } from "@lingui/core";

/**
 * What was typed with a dot for the comma between its digits; anything else as it is. Where the language's own decimal
 * mark is the dot, "1,500" may mean a thousand and more, so it stays.
 */
export function withDot(typed: string): string {
  const [, whole, fraction = ""] = /^\s*([+-]?\d+),(\d+)\s*$/.exec(typed) ?? [];
  if (whole === undefined || (fraction.length === 3 && !hasComma())) return typed;
  return `${whole}.${fraction}`;
}

/** All digits of it, with the language's decimal mark, as it can be typed. */
export function figure(value: number): string {
  return hasComma() ? String(value).replace(".", ",") : String(value);
}

function hasComma(): boolean {
  return i18n.number(0.5).includes(",");
}
