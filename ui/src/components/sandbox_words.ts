import { t } from "@lingui/core/macro";

/** A sandbox for people: the engine's name says nothing by itself where it is "namespaces". */
export function sandboxWords(name: string): string {
  return name.replace(/^namespaces\b/, t`Linux namespaces`);
}
