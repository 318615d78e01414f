/** Marks words in what is drawn, without changing it: the browser paints ranges of text. */
import { wordsOf } from "./mark_words";

const name = "found";
/** More than anyone sees at once. */
const mostMarks = 500;

/** Marks the words in the element now and whenever something in it is drawn anew. Returns how to stop. */
export function markIn(element: HTMLElement, text: string): () => void {
  // A browser that can't do this shows the row alone.
  if (typeof CSS === "undefined" || !("highlights" in CSS)) return () => undefined;
  const words = wordsOf(text);
  const mark = () => CSS.highlights.set(name, new Highlight(...rangesOf(element, words)));
  const observer = new MutationObserver(mark);
  observer.observe(element, { childList: true, characterData: true, subtree: true });
  mark();
  return () => {
    observer.disconnect();
    CSS.highlights.delete(name);
  };
}

function rangesOf(element: HTMLElement, words: readonly string[]): Range[] {
  const ranges: Range[] = [];
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  while (texts.nextNode() && ranges.length < mostMarks) {
    const node = texts.currentNode;
    const text = (node.textContent ?? "").toLowerCase();
    for (const word of words) {
      for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + word.length)) {
        const range = new Range();
        range.setStart(node, at);
        range.setEnd(node, Math.min(at + word.length, node.textContent?.length ?? 0));
        ranges.push(range);
      }
    }
  }
  return ranges.slice(0, mostMarks);
}
