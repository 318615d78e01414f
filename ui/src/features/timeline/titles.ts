import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { EventKind } from "../../protocol/events";

/** Each kind of event in words; a kind that this version does not know keeps its own name. */
const titles: Readonly<Record<EventKind, MessageDescriptor>> = {
  "session.created": msg`Session begun`,
  "session.forked": msg`Forked`,
  "session.configured": msg`Settings changed`,
  "session.granted": msg`Allowed for the session`,
  "session.rewound": msg`Rewound`,
  "trust.changed": msg`Trust changed`,
  "message.queued": msg`Message queued`,
  "queue.changed": msg`Queue changed`,
  "question.asked": msg`Question asked`,
  "question.answered": msg`Question answered`,
  "run.started": msg`Run begun`,
  "subagent.started": msg`Handed to a sub-agent`,
  "run.paused": msg`Run paused`,
  "run.resumed": msg`Run resumed`,
  "run.completed": msg`Run done`,
  "run.failed": msg`Run failed`,
  "run.cancelled": msg`Run stopped`,
  "engine.request": msg`Model asked`,
  "engine.response": msg`Model answered`,
  "engine.retry": msg`Asked again`,
  "output.message": msg`Answer`,
  "tool.call": msg`Call`,
  "policy.decided": msg`Policy decided`,
  "approval.requested": msg`Approval asked for`,
  "approval.resolved": msg`Approval decided`,
  "tool.result": msg`Result`,
  "tool.async_result": msg`Late result`,
  "file.changed": msg`File changed`,
  "change.taken_back": msg`Change taken back`,
  "sandbox.cleaned_up": msg`Cleaned up after commands`,
  "plan.proposed": msg`Plan made`,
  "plan.updated": msg`Plan changed`,
  "checkpoint.created": msg`Files kept`,
  "state.snapshot": msg`State kept`,
  "context.added": msg`Context added`,
  "context.compacted": msg`Earlier messages summarised`,
  "memory.observed": msg`Remembered`,
  "memory.reflected": msg`Concluded`,
  "hook.ran": msg`Hook ran`,
  "artifact.emitted": msg`Made something to keep`,
  "step.started": msg`Step begun`,
  "step.completed": msg`Step done`,
  "step.failed": msg`Step failed`,
  "step.skipped": msg`Step skipped`,
};

const byStoredKind: Readonly<Record<string, MessageDescriptor>> = titles;

export function titleOf(kind: string): string {
  const title = byStoredKind[kind];
  return title ? i18n._(title) : kind;
}
