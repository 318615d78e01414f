/** What came of what was asked about the past, in words; and bringing in what was kept elsewhere. Loaded when it is asked for. */
import { plural, t } from "@lingui/core/macro";
import { cost, folderName, rounded } from "../components/format";
import { tokenFigures } from "../features/status/facts";
import type { Arki } from "../platform/stores/arki";
import type { HistorySource } from "../protocol/generated";
import { agentNames } from "./commands";

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

/** What a session has used so far, in a line. */
export function usageWords(sessionId: string, arki: Arki): string {
  const { usage } = arki.session(sessionId).view.get();
  const requests = plural(usage.requests, { one: "# request", other: "# requests" });
  const used = t`${requests}: ${tokenFigures(usage)}`;
  return usage.costUsd === null ? used : `${used}, ${cost(usage.costUsd)}`;
}

type Say = (words: string) => void;

/** Brings in exported sessions, and goes to the first. Nothing is said where the user changed their mind. */
export async function bringExport(arki: Arki, go: (sessionId: string) => void, say: Say): Promise<void> {
  const ids = await arki.platform.call("import_sessions", {});
  if (ids === null) return;
  await arki.refreshSessions();
  const first = ids[0];
  if (first !== undefined) go(first);
  say(imported(ids.length));
}

/** Brings in what another agent has kept. `folder`: null for those of all folders. */
export async function bringHistory(arki: Arki, from: HistorySource, folder: string | null, say: Say) {
  say(t`Importing from ${agentNames[from]}…`);
  const { sessions, faults } = await arki.platform.call("import_history", { from, folder });
  await arki.refreshSessions();
  if (sessions.length + faults.length === 0) {
    say(t`${agentNames[from]} has kept no sessions here.`);
    return;
  }
  const brought = sessions.filter(({ outcome }) => outcome === "added" || outcome === "replaced").length;
  const there = sessions.length - brought;
  const words = [
    imported(brought),
    there > 0 ? plural(there, { one: "# was here already", other: "# were here already" }) : "",
    ...faults.slice(0, 1),
  ];
  say(words.filter((part) => part !== "").join(" · "));
}

const imported = (count: number) => t`Imported ${plural(count, { one: "# session", other: "# sessions" })}`;
