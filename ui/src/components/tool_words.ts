/** The one argument that says what a call is about, for its compact line. Pure. */
import { plural } from "@lingui/core/macro";
import { isRecord, text } from "../protocol/read";

const telling = [
  "path",
  "command",
  "pattern",
  "glob",
  "url",
  "expression",
  "name",
  "question",
  "task",
  "query",
];

export function mainArgument(args: unknown): string {
  if (!isRecord(args)) return typeof args === "string" ? args : "";
  for (const key of telling) {
    const value = text(args, key);
    if (value) return firstLine(key === "pattern" ? `"${value}"` : value);
  }
  if (typeof args.patch === "string") return patchFiles(args.patch);
  if (Array.isArray(args.steps) && args.steps.length > 0)
    return plural(args.steps.length, { one: "# step", other: "# steps" });
  const first = Object.values(args).find((value) => typeof value === "string");
  return typeof first === "string" ? firstLine(first) : "";
}

function patchFiles(patch: string): string {
  const files = [...patch.matchAll(/^(?:\*\*\* (?:Add|Update|Delete) File: |\+\+\+ (?:b\/)?)(.+)$/gm)].map(
    (m) => m[1],
  );
  if (files.length > 1) return plural(files.length, { one: "# file", other: "# files" });
  return files[0] ?? "patch";
}

export function firstLine(value: string): string {
  const line = value.split("\n")[0] ?? "";
  return line === value ? line : `${line} …`;
}
