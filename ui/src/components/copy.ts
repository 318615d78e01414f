/** Copies text; where the webview has no clipboard API, by the document's own copy command. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const holder = document.createElement("textarea");
    holder.value = text;
    holder.className = "sr-only";
    document.body.append(holder);
    holder.select();
    document.execCommand("copy");
    holder.remove();
  }
}
