/** Readers of JSON that has no form of its own: a tool's arguments, and events that this version doesn't know. They never throw. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A field's text; "" where there is none. */
export function text(json: unknown, key: string): string {
  const value = isRecord(json) ? json[key] : null;
  return typeof value === "string" ? value : "";
}

/** Pretty JSON of any value; strings as they are. */
export function show(value: unknown): string {
  if (typeof value === "string") return value;
  return JSON.stringify(value, null, 2) ?? "";
}
