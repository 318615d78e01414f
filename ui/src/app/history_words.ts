/** What came of what was asked about the past, in words. Loaded when it is said. */
import { plural, t } from "@lingui/core/macro";
import { folderName, rounded } from "../components/format";

export const deleted = (freedBytes: number) => t`Deleted. ${bytes(freedBytes)} freed.`;

export const exported = (path: string) => t`Exported to ${path}`;

export const worktreeRemoved = (branch: string) => t`Removed the worktree ${branch}.`;

export function branchBrought(commits: number, branch: string, project: string): string {
  const count = plural(commits, { one: "# commit", other: "# commits" });
  return t`Brought ${count} on ${branch} to ${folderName(project)}.`;
}

function bytes(count: number): string {
  if (count < 1000) return plural(count, { one: "# byte", other: "# bytes" });
  if (count < 1_000_000) return t`${Math.round(count / 1000)} KB`;
  return t`${rounded(count / 1_000_000, 1, 1)} MB`;
}
