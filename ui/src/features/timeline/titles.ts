import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { EventKind } from "../../protocol/events";

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
