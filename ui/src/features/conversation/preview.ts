/** What a closed card shows of a result: how a command ended, and some of its lines. Pure. */
import { beginning, plainText, withStyles } from "../../components/code/ansi";
import { maxOutputChars } from "../../protocol/live";
import { isRecord, text } from "../../protocol/read";
import type { ToolItem } from "../../protocol/transcript";

export type Preview = {
  /** In the command's colours, as control sequences. */
  lines: readonly string[];
  /** Lines that are not shown, and whether they come before those that are. */
  hidden: number;
  before: boolean;
};

const shownLines = 4;
/** Lines are cut by the window; this is only so that none of them is a megabyte. */
const shownChars = 400;
/** A result's first line, where it is a command's. */
const ending = /^exit code (-?\d+)(?:\n|$)/;

export function exitCode({ category, result }: ToolItem): number | null {
  const code = category === "exec" ? ending.exec(result ?? "")?.[1] : undefined;
  return code === undefined ? null : Number(code);
}

/** What a command printed, with its colours as control sequences; of other tools just what they said. */
export function colouredResult({ result, styles }: ToolItem): string | null {
  return result && styles ? withStyles(result, styles) : result;
}

/** What a command printed so far; where its beginning is lost, whole lines of it, as no part of a sequence is text. */
export function outputSoFar(output: string): string {
  return output.length < maxOutputChars ? output : output.slice(output.indexOf("\n") + 1);
}

/** Programs that check a project, as the first words of a command or of a part of it. */
const checks =
  /^(?:cargo (?:test|nextest|check|clippy|build)|(?:npm|pnpm|yarn|bun) (?:run )?(?:test|lint|check|typecheck|build)|(?:npx )?(?:tsc|vitest|jest|eslint|biome|prettier)|(?:python3? -m )?(?:pytest|ruff|mypy)|go (?:test|vet|build)|make (?:test|check|lint)|git diff --check)(?![\w./-])/;

/** A command that checks the project and had nothing to say against it: its output is no news. */
export function isPassedCheck(item: ToolItem): boolean {
  if (item.state !== "done" || exitCode(item) !== 0 || !isRecord(item.args)) return false;
  const steps = (text(item.args, "command") ?? "").split(/&&|;/).map((step) => step.trim());
  const told = steps.filter((step) => !/^cd /.test(step));
  // A part after `|` or `||` may have ended well in the place of the check.
  return told.length > 0 && told.every((step) => checks.test(step) && !step.includes("|"));
}

/** How a command ended stands in its line already. */
export function withoutEnding(item: ToolItem): string | null {
  const result = colouredResult(item);
  return result !== null && exitCode(item) !== null ? result.replace(ending, "") : result;
}

/** The first lines of what a command printed or a page said; of what failed the last ones, which mostly say why. */
export function previewOf(item: ToolItem): Preview | null {
  const failed = item.state === "failed";
  const tells = item.category === "exec" || item.category === "network";
  const said = withoutEnding(item);
  if (said === null || isPassedCheck(item) || !(failed || (item.state === "done" && tells))) return null;
  const lines = said.split("\n").filter((line) => plainText(line).trim() !== "");
  if (lines.length === 0) return null;
  const fits = lines.length <= shownLines;
  // One line less, in whose place stands how many there are besides.
  const shown = fits ? lines : failed ? lines.slice(1 - shownLines) : lines.slice(0, shownLines - 1);
  return {
    lines: shown.map((line) => beginning(line, shownChars)),
    hidden: lines.length - shown.length,
    before: failed,
  };
}
