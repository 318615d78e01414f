/** The checks that a run ran and how they came out; what a run took. Pure. */
import type { Event } from "./generated";
import { isRecord, text } from "./read";
import type { ToolItem, Transcript } from "./transcript";
import { commandName } from "./working";

export type Check = { name: string; passed: boolean };

/** A result's first line, where it is a command's. */
export const ending = /^exit code (-?\d+)(?:\n|$)/;

export function exitCode({ category, result }: ToolItem): number | null {
  const code = category === "exec" ? ending.exec(result ?? "")?.[1] : undefined;
  return code === undefined ? null : Number(code);
}

/** Programs that check a project, as the first words of a command or of a part of it. */
const checks =
  /^(?:cargo (?:test|nextest|check|clippy|build)|(?:npm|pnpm|yarn|bun) (?:run )?(?:test|lint|check|typecheck|build)|(?:npx )?(?:tsc|vitest|jest|eslint|biome|prettier)|(?:python3? -m )?(?:pytest|ruff|mypy)|go (?:test|vet|build)|make (?:test|check|lint)|git diff --check)(?![\w./-])/;

/** A command that checks the project and had nothing to say against it: its output is no news. */
export const isPassedCheck = (item: ToolItem): boolean =>
  item.state === "done" && checkOf(item)?.passed === true;

/** The check that a command was, once it has ended; null: it was none. */
function checkOf(item: ToolItem): Check | null {
  const code = exitCode(item);
  if (code === null || !isRecord(item.args)) return null;
  const steps = (text(item.args, "command") ?? "").split(/&&|;/).map((step) => step.trim());
  const told = steps.filter((step) => !/^cd /.test(step));
  // A part after `|` or `||` may have ended well in the place of the check.
  const isCheck = told.length > 0 && told.every((step) => checks.test(step) && !step.includes("|"));
  return isCheck ? { name: told.map(commandName).join(", "), passed: code === 0 } : null;
}

/** How each check came out the last time, the newest first. */
export function lastChecks({ items }: Transcript): Check[] {
  const told = new Map<string, Check>();
  for (const item of items.toReversed()) {
    const check = item.kind === "tool" ? checkOf(item) : null;
    if (check !== null && !told.has(check.name)) told.set(check.name, check);
  }
  return [...told.values()];
}

export type RunEnd = { ms: number; costUsd: number | null };

/** What the last run took, where it has ended and its beginning is held. */
export function lastRunEnd(events: readonly Event[]): RunEnd | null {
  const end = events.findLast((event) => event.type === "run.completed" || event.type === "run.started");
  if (end?.type !== "run.completed") return null;
  const start = events.findLast((event) => event.type === "run.started" && event.runId === end.runId);
  return start === undefined ? null : { ms: end.ts - start.ts, costUsd: end.payload.usage?.costUsd ?? null };
}
