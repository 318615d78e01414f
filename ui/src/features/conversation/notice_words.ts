/** What happened to the conversation, in a line. Pure. */
import { plural, t } from "@lingui/core/macro";
import type { Notice } from "../../protocol/items";

export function noticeWords(notice: Notice): string {
  switch (notice.what) {
    case "stopped":
      return t`You stopped the run`;
    case "retried":
      return retryWords(notice);
    case "left_out":
      return leftOutWords(notice);
    case "unknown_words":
      return t`You sent a message here during the run`;
    case "reverted":
      return notice.paths.length === 0
        ? t`You reverted a change`
        : t`You reverted a change to ${notice.paths.join(", ")}`;
    case "cleaned_up":
      return notice.notes.join(" ");
    case "planned":
      return t`Plan: ${notice.intent} (${plural(notice.steps.length, { one: "# step", other: "# steps" })})`;
  }
}

/** In no tense: it stands there while the wait lasts and ever after. */
function retryWords({ attempt, delayMs, code }: Extract<Notice, { what: "retried" }>): string {
  const wait = plural(Math.max(1, Math.round(delayMs / 1000)), { one: "# second", other: "# seconds" });
  return code ? t`Attempt ${attempt} after ${wait} (${code})` : t`Attempt ${attempt} after ${wait}`;
}

function leftOutWords({ part, reason, restored }: Extract<Notice, { what: "left_out" }>): string {
  const what = partWords(part);
  return restored
    ? t`${what} is part of requests again: leaving it out didn't help`
    : t`${what} is left out of requests from here on. ${reason}`;
}

function partWords(part: string): string {
  if (part.startsWith("image:")) return t`A picture`;
  if (part.startsWith("tool:")) return t`The tool ${part.slice("tool:".length)}`;
  return part === "reasoning" ? t`The model's earlier reasoning` : t`A tool's result`;
}
