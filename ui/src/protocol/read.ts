/**
 * Narrowing readers for event payloads. The log is open: a payload may lack a field, carry it in another
 * shape or come from a newer engine, so nothing here throws and every reader has an explicit fallback.
 */
import type { CommandPreview, Event, Hunk, Preview } from "./generated";

export type Json = Record<string, unknown>;

export function isRecord(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function record(value: unknown): Json {
  return isRecord(value) ? value : {};
}

export function text(payload: Json, key: string, fallback = ""): string {
  const value = payload[key];
  return typeof value === "string" ? value : fallback;
}

export function maybeText(payload: Json, key: string): string | null {
  const value = payload[key];
  return typeof value === "string" ? value : null;
}

export function maybeNumber(payload: Json, key: string): number | null {
  const value = payload[key];
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

export function flag(payload: Json, key: string): boolean {
  return payload[key] === true;
}

export function list(payload: Json, key: string): unknown[] {
  const value = payload[key];
  return Array.isArray(value) ? value : [];
}

export function payloadOf(event: Event): Json {
  return record(event.payload);
}

export function strings(values: unknown[]): string[] {
  return values.filter((value): value is string => typeof value === "string");
}

export function readHunk(value: unknown): Hunk | null {
  if (!isRecord(value)) return null;
  const index = maybeNumber(value, "index");
  if (index === null) return null;
  return {
    index,
    path: text(value, "path"),
    oldStart: maybeNumber(value, "oldStart") ?? 0,
    oldLines: maybeNumber(value, "oldLines") ?? 0,
    newStart: maybeNumber(value, "newStart") ?? 0,
    newLines: maybeNumber(value, "newLines") ?? 0,
  };
}

export function readPreview(value: unknown): Preview | null {
  if (!isRecord(value)) return null;
  const diffHash = maybeText(value, "diffHash");
  if (typeof value.diff !== "string" && diffHash === null) return null;
  return {
    filesAffected: strings(list(value, "filesAffected")),
    linesChanged: maybeNumber(value, "linesChanged") ?? 0,
    diff: text(value, "diff"),
    diffHash,
    hunks: list(value, "hunks")
      .map(readHunk)
      .filter((hunk) => hunk !== null),
    previewHash: text(value, "previewHash"),
  };
}

export function readCommand(value: unknown): CommandPreview | null {
  if (!isRecord(value) || typeof value.command !== "string") return null;
  return {
    command: value.command,
    directory: text(value, "directory"),
    environment: strings(list(value, "environment")),
    sandbox: text(value, "sandbox"),
    previewHash: text(value, "previewHash"),
  };
}

/** Pretty JSON of any value; strings as they are. */
export function show(value: unknown): string {
  if (typeof value === "string") return value;
  return JSON.stringify(value, null, 2) ?? "";
}
