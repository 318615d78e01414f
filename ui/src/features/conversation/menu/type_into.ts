/** Writes into a text box as if it had been typed, so that it can be undone; React hears of it. */
export function typeInto(field: HTMLTextAreaElement, from: number, to: number, words: string): void {
  field.focus();
  field.setSelectionRange(from, to);
  if (document.execCommand?.("insertText", false, words)) return;
  field.setRangeText(words, from, to, "end");
  field.dispatchEvent(new Event("input", { bubbles: true }));
}
