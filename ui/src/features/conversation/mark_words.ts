/** The words of a search as the engine reads it, in small letters: `"phrases"` whole, `begin*` without its star. Pure. */
export function wordsOf(text: string): string[] {
  const parts = [...text.matchAll(/"([^"]*)"?|(\S+)/g)].map(([, phrase, word]) => phrase ?? word ?? "");
  return parts.map((part) => part.replace(/\*$/, "").toLowerCase()).filter((part) => part.trim() !== "");
}
