/** What is typed, as the engine searches for it: words, `"phrases"` and `beginnings*`. Pure. */

/**
 * The search while one is still typing its last word: that one is a beginning, once it has `least` characters. Beginnings
 * of fewer are in nearly every event, and over all sessions they take long to look up.
 */
export function begun(text: string, least: number): string {
  const isInPhrase = text.split('"').length % 2 === 0;
  const last = /[\p{L}\p{N}]+$/u.exec(text)?.[0] ?? "";
  return !isInPhrase && last !== "" && [...last].length >= least ? `${text}*` : text;
}
