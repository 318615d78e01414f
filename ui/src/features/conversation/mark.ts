/** Marks a text in what is drawn, without changing it: the browser paints ranges of text. */
const name = "found";
/** More than anyone sees at once. */
const mostMarks = 500;

/**
 * Marks the text in the element now and whenever something in it is drawn anew, and tells each time where it stands
 * first. Returns how to stop.
 */
export function markIn(element: HTMLElement, text: string, onMarked: (first: Range) => void): () => void {
  // A browser that can't do this shows the row alone.
  if (typeof CSS === "undefined" || !("highlights" in CSS)) return () => undefined;
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return () => undefined;
  const mark = () => {
    const ranges = rangesOf(element, wanted);
    CSS.highlights.set(name, new Highlight(...ranges));
    const [first] = ranges;
    if (first) onMarked(first);
  };
  const observer = new MutationObserver(mark);
  observer.observe(element, { childList: true, characterData: true, subtree: true });
  mark();
  return () => {
    observer.disconnect();
    // Emptied first: WebKit leaves the paint of what is taken away whole.
    CSS.highlights.get(name)?.clear();
    CSS.highlights.delete(name);
  };
}

function rangesOf(element: HTMLElement, wanted: string): Range[] {
  const ranges: Range[] = [];
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  while (texts.nextNode() && ranges.length < mostMarks) {
    const node = texts.currentNode;
    const text = (node.textContent ?? "").toLowerCase();
    for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) {
      const range = new Range();
      range.setStart(node, at);
      range.setEnd(node, Math.min(at + wanted.length, node.textContent?.length ?? 0));
      ranges.push(range);
    }
  }
  return ranges.slice(0, mostMarks);
}
