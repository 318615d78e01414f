/** Where in what is written a menu opens: for a command at its beginning, for a mention anywhere. Pure. */

export type Trigger = {
  kind: "command" | "mention";
  /** The place of the "/" or the "@". */
  from: number;
  /** What is written after it, up to the caret. */
  words: string;
};

const command = /^\s*\/([\w:-]*)$/;
/** At the beginning of a word, as the engine reads mentions; with a quote before a name that has spaces. */
const mention = /(?:^|[\s([{"'])@("[^"\n]*|[^\s"@]*)$/;

export function triggerAt(text: string, caret: number): Trigger | null {
  const before = text.slice(0, caret);
  const name = command.exec(before)?.[1];
  if (name !== undefined) return { kind: "command", from: caret - name.length - 1, words: name };
  const typed = mention.exec(before)?.[1];
  if (typed === undefined) return null;
  return { kind: "mention", from: caret - typed.length - 1, words: typed.replace(/^"/, "") };
}
