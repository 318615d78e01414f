/** The pictures of diagrams, kept for when they are scrolled to again. Mermaid comes with the first one. */
import { t } from "@lingui/core/macro";
import type { Drawing } from "./draw";

export type { Drawing };

/** Of the slowest kinds this takes a few seconds, in which the window waits. */
export const maxDiagramChars = 8_000;
const maxKept = 24;

const kept = new Map<string, Drawing>();
const keyOf = (code: string, dark: boolean) => `${dark ? "dark" : "light"}\n${code}`;

export function known(code: string, dark: boolean): Drawing | null {
  return kept.get(keyOf(code, dark)) ?? null;
}

/** Rejects with the reason why there is none. */
export async function drawingOf(code: string, dark: boolean): Promise<Drawing> {
  if (code.length > maxDiagramChars) throw new Error(t`it is too long`);
  const here = known(code, dark);
  if (here) return here;
  const { draw } = await import("./draw");
  const drawing = await draw(code, dark);
  kept.set(keyOf(code, dark), drawing);
  const [oldest] = kept.keys();
  if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest);
  return drawing;
}
