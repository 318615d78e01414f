/** One line about an event of any type, known or not; and the filter. Pure. */

import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, plural, t } from "@lingui/core/macro";
import { type ByKind, byKind, type EventKind, storedKind } from "../../protocol/events";
import type { Event, PlanStep } from "../../protocol/generated";
import { text } from "../../protocol/read";
import { shorten } from "../../protocol/shorten";

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

/** Each kind of event in words; a kind that this version does not know keeps its own name. */
const titles: Readonly<Record<EventKind, MessageDescriptor>> = {
  "session.created": msg`Session started`,
  "session.forked": msg`Forked`,
  "session.configured": msg`Settings changed`,
  "session.granted": msg`Allowed for the session`,
  "session.rewound": msg`Rewound`,
  "trust.changed": msg`Trust changed`,
  "message.queued": msg`Message queued`,
  "queue.changed": msg`Queue changed`,
  "question.asked": msg`Question asked`,
  "question.answered": msg`Question answered`,
  "run.started": msg`Run started`,
  "subagent.started": msg`Sub-agent started`,
  "run.paused": msg`Run paused`,
  "run.resumed": msg`Run resumed`,
  "run.completed": msg`Run completed`,
  "run.failed": msg`Run failed`,
  "run.cancelled": msg`Run stopped`,
  "engine.request": msg`Request sent`,
  "engine.response": msg`Response received`,
  "engine.retry": msg`Request retried`,
  "output.message": msg`Answer`,
  "tool.call": msg`Tool call`,
  "policy.decided": msg`Policy decided`,
  "approval.requested": msg`Approval requested`,
  "approval.resolved": msg`Approval decided`,
  "tool.result": msg`Tool result`,
  "tool.async_result": msg`Late tool result`,
  "file.changed": msg`File changed`,
  "change.taken_back": msg`Change reverted`,
  "changes.committed": msg`Changes committed`,
  "sandbox.cleaned_up": msg`Residue of commands removed`,
  "plan.proposed": msg`Plan proposed`,
  "plan.updated": msg`Plan updated`,
  "checkpoint.created": msg`Checkpoint created`,
  "state.snapshot": msg`State saved`,
  "state.changed": msg`State changed`,
  "context.added": msg`Context added`,
  "context.compacted": msg`Context compacted`,
  "context.dropped": msg`Part left out of requests`,
  "working_memory.snapshot": msg`Working memory saved`,
  "memory.observed": msg`Run noted`,
  "memory.reflected": msg`Conclusion drawn`,
  "memory.reviewed": msg`Memory reviewed`,
  "command.ended": msg`Command ended`,
  "hook.ran": msg`Hook ran`,
  "artifact.emitted": msg`Artifact created`,
  "step.started": msg`Step started`,
  "step.completed": msg`Step completed`,
  "step.failed": msg`Step failed`,
  "step.skipped": msg`Step skipped`,
};

const byStoredKind: Readonly<Record<string, MessageDescriptor>> = titles;

export function titleOf(kind: string): string {
  const title = byStoredKind[kind];
  return title ? i18n._(title) : kind;
}
