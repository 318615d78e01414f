/** Where the first part of a long text ends: after a sentence, a word, or a line; else anywhere but within a character. */
export function cutOf(full: string, prose: boolean): number {
  const half = full.length / 2;
  const places = prose ? [full.lastIndexOf(". ") + 1, full.lastIndexOf(" ")] : [full.lastIndexOf("\n") + 1];
  const at = places.find((place) => place > half) ?? full.length;
  const last = full.charCodeAt(at - 1);
  return last >= 0xd800 && last < 0xdc00 ? at - 1 : at;
}
