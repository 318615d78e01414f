/** Where in what is written a menu opens: a command at its beginning. Pure. */

export type Trigger = {
  /** The place of the "/". */
  from: number;
  /** What is written after it, up to the caret. */
  words: string;
};

const command = /^\s*\/([\w:-]*)$/;

export function triggerAt(text: string, caret: number): Trigger | null {
  const words = command.exec(text.slice(0, caret))?.[1];
  return words === undefined ? null : { from: caret - words.length - 1, words };
}
