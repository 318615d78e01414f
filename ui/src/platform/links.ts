/** Which links may leave the window: model output is hostile, so this is an allow-list of schemes. */
export function safeLink(href: string): string | null {
  let url: URL;
  try {
    url = new URL(href);
  } catch {
    return null;
  }
  return url.protocol === "https:" || url.protocol === "http:" || url.protocol === "mailto:"
    ? url.href
    : null;
}
