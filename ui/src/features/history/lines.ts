/** The lines of a file as runs of one origin each: who wrote them, in a few words. Pure. */
import { t } from "@lingui/core/macro";
import type { LineOrigin } from "../../protocol/generated";
import { shorten } from "../../protocol/shorten";

export type OriginRun = { first: number; count: number; origin: LineOrigin };

/** Lines that one change wrote, or that came from outside, next to each other. */
export function originRuns(lines: readonly LineOrigin[]): OriginRun[] {
  const runs: OriginRun[] = [];
  lines.forEach((line, first) => {
    const last = runs.at(-1);
    if (last && originKey(last.origin) === originKey(line)) last.count += 1;
    else runs.push({ first, count: 1, origin: line });
  });
  return runs;
}

const originKey = (line: LineOrigin) => `${line.author} ${line.sessionId} ${line.seq}`;

/** "Arki 3 · Rename Widget to …". */
export function whoWrote(line: LineOrigin): string {
  if (line.author === "before") return t`before`;
  if (line.author === "user") return t`you`;
  const turn = line.turn === null ? "Arki" : t`Arki turn ${line.turn}`;
  return line.prompt ? `${turn} · ${firstWords(line.prompt)}` : turn;
}

const mostChars = 40;

export function firstWords(prompt: string): string {
  const line = prompt.split("\n")[0] ?? "";
  if (line.length <= mostChars) return line;
  const cut = line.slice(0, mostChars);
  return `${shorten(cut, Math.max(cut.lastIndexOf(" "), mostChars / 2))}…`;
}
