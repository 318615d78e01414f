/** An element, and its class, for each font that Markdown has besides that of all other words. */
const samples = [
  ["strong", ""],
  ["em", ""],
  ["code", ""],
  ["h3", "markdown-h1"],
] as const;

/**
 * WebKitGTK looks for a font when words are first laid out in it, for 4 ms each: four of them fell into the first frames
 * of the first answer. So they are looked for before there is one, one with each frame.
 */
export async function lookForFonts(painted: () => Promise<void>): Promise<void> {
  for (const [tag, className] of samples) {
    await painted();
    const place = document.createElement("div");
    place.classList.add("markdown", "sr-only");
    place.ariaHidden = "true";
    const sample = document.createElement(tag);
    sample.className = className;
    sample.textContent = "a";
    place.append(sample);
    document.body.append(place);
    // Lays it out now.
    place.getBoundingClientRect();
    place.remove();
  }
}
