/** Brings in exported sessions and what other agents have kept, and says what came of it. Loaded when it is asked for. */
import { plural, t } from "@lingui/core/macro";
import type { useArki } from "../platform/context";
import type { HistorySource } from "../protocol/generated";
import { agentNames } from "./agent_names";

type Arki = ReturnType<typeof useArki>;
type Say = (words: string) => void;

/** Goes to the first. Nothing is said where the user changed their mind. */
export async function bringExport(arki: Arki, go: (sessionId: string) => void, say: Say): Promise<void> {
  const ids = await arki.platform.call("import_sessions", {});
  if (ids === null) return;
  await arki.refreshSessions();
  const first = ids[0];
  if (first !== undefined) go(first);
  say(imported(ids.length));
}

/** `folder`: null for those of all folders. */
export async function bringHistory(
  arki: Arki,
  from: HistorySource,
  folder: string | null,
  say: Say,
): Promise<void> {
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
