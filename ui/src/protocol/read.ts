/** Readers of JSON that has no form of its own, such as a tool's arguments. They never throw. */
export type Json = Record<string, unknown>;

export function isRecord(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function text(record: Json, key: string): string {
  const value = record[key];
  return typeof value === "string" ? value : "";
}

export function list(record: Json, key: string): unknown[] {
  const value = record[key];
  return Array.isArray(value) ? value : [];
}

/** Pretty JSON of any value; strings as they are. */
export function show(value: unknown): string {
  if (typeof value === "string") return value;
  return JSON.stringify(value, null, 2) ?? "";
}
