/** Which commands fit what is typed, best first. Few enough to be looked through here; files are ranked by the engine. */

/** Better is less; null where it does not fit. */
export function rank(name: string, words: string): number | null {
  const [text, wanted] = [name.toLowerCase(), words.toLowerCase()];
  if (text.startsWith(wanted)) return 0;
  // At the beginning of a part of it: "commit" in "git:commit".
  const part = text.split(/[:_-]/).findIndex((one) => one.startsWith(wanted));
  if (part > 0) return 1;
  if (text.includes(wanted)) return 2;
  return isScattered(text, wanted) ? 3 : null;
}

/** Its letters are there in that order. */
function isScattered(text: string, wanted: string): boolean {
  let at = 0;
  for (const letter of wanted) {
    at = text.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

export function fitting<T>(all: readonly T[], words: string, nameOf: (one: T) => string): T[] {
  const scored = all.map((one) => ({ one, score: rank(nameOf(one), words) }));
  const fits = scored.filter((each): each is { one: T; score: number } => each.score !== null);
  // What is as good stays in the order in which it was listed.
  return fits.sort((a, b) => a.score - b.score).map((each) => each.one);
}
