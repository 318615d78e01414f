/** What a closed card shows of a result: how a command ended, and some of its lines. Pure. */
import { beginning, plainText, withStyles } from "../../components/code/ansi";
import { ending, exitCode, isPassedCheck } from "../../protocol/checks";
import { maxOutputChars } from "../../protocol/live";
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

/** What a command printed so far; where its beginning is lost, whole lines of it, as no part of a sequence is text. */
export function outputSoFar(output: string): string {
  return output.length < maxOutputChars ? output : output.slice(output.indexOf("\n") + 1);
}

/**
 * What a command printed, with its colours as control sequences; of other tools just what they said. How a command ended
 * stands in its line already.
 */
export function withoutEnding(item: ToolItem): string | null {
  const { styles } = item;
  const result = item.result && styles ? withStyles(item.result, styles) : item.result;
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
