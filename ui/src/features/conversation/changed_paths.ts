import type { ToolItem } from "../../protocol/transcript";

/** The files that a call changed, by where they are now: one that was moved is one file. */
export function changedPaths({ category, changes }: Pick<ToolItem, "category" | "changes">): string[] {
  const made = new Set(changes.filter(({ beforeHash }) => beforeHash === null).map((one) => one.afterHash));
  // The hunks of a move are those of its new place. Of what a command did, only the content tells.
  const stays = changes.filter(
    ({ beforeHash, afterHash, hunks }) =>
      afterHash !== null ||
      !(made.has(beforeHash) || (category === "write" && made.size > 0 && hunks.length === 0)),
  );
  return [...new Set(stays.map(({ path }) => path))];
}
