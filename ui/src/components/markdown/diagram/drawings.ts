/** The pictures of diagrams, kept for when they are scrolled to again. Mermaid comes with the first one. */
import { t } from "@lingui/core/macro";
import type { Drawing } from "./draw";

export type { Drawing };

/** Of the slowest kinds this takes a few seconds, in which the window waits. */
export const maxDiagramChars = 8_000;
const maxKept = 24;

const kept = new Map<string, Drawing>();
/** Why there is none: it isn't tried again each time that it is scrolled to. */
const failed = new Map<string, unknown>();
const keyOf = (code: string, dark: boolean) => `${dark ? "dark" : "light"}\n${code}`;

export function known(code: string, dark: boolean): Drawing | null {
  return kept.get(keyOf(code, dark)) ?? null;
}

/** Rejects with the reason why there is none. */
export async function drawingOf(code: string, dark: boolean): Promise<Drawing> {
  if (code.length > maxDiagramChars) throw new Error(t`it is too long`);
  const here = known(code, dark);
  if (here) return here;
  const key = keyOf(code, dark);
  if (failed.has(key)) throw failed.get(key);
  const { draw } = await import("./draw");
  try {
    const drawing = await draw(code, dark);
    keep(kept, key, drawing);
    return drawing;
  } catch (why) {
    keep(failed, key, why);
    throw why;
  }
}

function keep<T>(among: Map<string, T>, key: string, value: T): void {
  among.set(key, value);
  const [oldest] = among.keys();
  if (among.size > maxKept && oldest !== undefined) among.delete(oldest);
}
