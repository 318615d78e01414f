/** A command as it is typed, read as the engine reads it; null for a text that is none. Pure. */
export type TypedCommand = { name: string; words: string };

const typed = /^\s*\/([a-z0-9][\w:-]*)(?:\s+([\s\S]*))?$/i;

export function typedCommand(text: string): TypedCommand | null {
  const found = typed.exec(text);
  return found?.[1] === undefined ? null : { name: found[1], words: found[2]?.trim() ?? "" };
}
