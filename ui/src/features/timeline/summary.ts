/** One line about an event of any type, known or not; and the filter. Pure. */
import { plural, t } from "@lingui/core/macro";
import { type ByKind, byKind, storedKind } from "../../protocol/events";
import type { Event, PlanStep } from "../../protocol/generated";
import { text } from "../../protocol/read";
import { shorten } from "../../protocol/shorten";
import { titleOf } from "./titles";

const telling = [
  "toolId",
  "path",
  "code",
  "prompt",
  "decision",
  "reason",
  "finishReason",
  "model",
  "title",
  "content",
  "text",
  "message",
  "intent",
  "summary",
  "step",
  "hook",
  "said",
  "name",
  "mode",
];
const maxWords = 120;

export function summary(event: Event): string {
  const words = byKind(counts, null, event) ?? [];
  for (const key of telling) {
    const value = text(event.payload, key);
    if (value !== "") words.push(value.split("\n")[0] ?? "");
    if (words.length === 2) break;
  }
  return shorten(words.join(" · "), maxWords);
}

/** Where a number or a list says more than any word of the payload. */
const counts: ByKind<null, string[]> = {
  "session.rewound": (_, { conversation, files, toSeq }) => {
    const both = conversation && files;
    const what = both ? t`conversation and files` : conversation ? t`conversation` : t`files`;
    return [t`to event ${toSeq}`, what];
  },
  "session.granted": (_, { rules }) => [plural(rules.length, { one: "# rule", other: "# rules" })],
  "session.forked": (_, { fromSeq }) => [t`at event ${fromSeq}`],
  "command.ended": (_, { files }) => [plural(files, { one: "# file changed", other: "# files changed" })],
  "changes.committed": (_, { commit, message }) => [commit, message],
  "change.taken_back": (_, { changes }) => changes.map((one) => one.path),
  "sandbox.cleaned_up": (_, { notes }) => [...notes],
  "queue.changed": (_, { queued, delivered = [] }) => [
    t`${queued.length} queued`,
    t`${delivered.length} sent`,
  ],
  "checkpoint.created": (_, { files, summary }) => [
    summary ?? plural(files, { one: "# file", other: "# files" }),
  ],
  "working_memory.snapshot": (_, { observations }) => [
    plural(observations.length, { one: "# fact", other: "# facts" }),
  ],
  "state.changed": (_, { set = {}, removed = [] }) => [[...Object.keys(set), ...removed].join(", ")],
  "subagent.started": (_, { agent }) => [agent],
  "plan.proposed": planWords,
  "plan.updated": planWords,
};

function planWords(_: null, { steps }: { steps: readonly PlanStep[] }): string[] {
  const done = steps.filter((step) => step.state === "done").length;
  return [t`${done} of ${steps.length} done`];
}

export function kinds(events: readonly Event[]): string[] {
  return [...new Set(events.map(storedKind))].sort();
}

export function filterEvents(events: readonly Event[], kind: string, words: string): Event[] {
  const wanted = words.trim().toLowerCase();
  return events.filter((event) => {
    const stored = storedKind(event);
    if (kind !== "" && stored !== kind) return false;
    if (wanted === "") return true;
    return (
      stored.includes(wanted) ||
      titleOf(stored).toLowerCase().includes(wanted) ||
      JSON.stringify(event.payload).toLowerCase().includes(wanted)
    );
  });
}
