import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { Command as Cmdk } from "cmdk";
import { exactTime, folderName } from "../../components/format";
import { Snippet } from "../../components/Snippet";
import type { SearchHit } from "../../protocol/generated";

/** Who or what an event is from, in one word. All kinds that the engine searches are here. */
const kinds: Readonly<Record<string, MessageDescriptor>> = {
  "run.started": msg`you`,
  "message.queued": msg`you`,
  "queue.changed": msg`you`,
  "question.asked": msg`question`,
  "question.answered": msg`you`,
  "output.message": msg`Arki`,
  "run.completed": msg`Arki`,
  "tool.call": msg`call`,
  "tool.result": msg`result`,
  "tool.async_result": msg`result`,
  "approval.requested": msg`asked`,
  "approval.resolved": msg`decided`,
  "file.changed": msg`file`,
  "change.taken_back": msg`file`,
  "session.rewound": msg`file`,
  "session.created": msg`title`,
  "run.failed": msg`failure`,
  "hook.ran": msg`hook`,
  "artifact.emitted": msg`artifact`,
  "plan.proposed": msg`planned`,
  "plan.updated": msg`planned`,
  "context.added": msg`context`,
  "context.compacted": msg`compacted`,
  "memory.observed": msg`memory`,
  "memory.reflected": msg`memory`,
  "memory.reviewed": msg`memory`,
  "step.started": msg`step`,
  "step.completed": msg`step`,
  "step.failed": msg`failure`,
};

type Props = { hits: readonly SearchHit[]; onHit: (hit: SearchHit) => void };

/** What was found, by session, in the order in which it was found. */
export function Hits({ hits, onHit }: Props) {
  return grouped(hits).map((of) => {
    const first = of[0];
    if (!first) return null;
    return (
      <Cmdk.Group
        key={first.sessionId}
        className="palette-group"
        heading={`${first.title || t`Untitled session`} · ${folderName(first.project)}`}
      >
        {of.map((hit) => (
          <Hit key={hit.seq} hit={hit} onSelect={() => onHit(hit)} />
        ))}
      </Cmdk.Group>
    );
  });
}

function Hit({ hit, onSelect }: { hit: SearchHit; onSelect: () => void }) {
  // A newer Arki may have written it.
  const kind = kinds[hit.type] ?? msg`event`;
  return (
    <Cmdk.Item
      value={`hit ${hit.sessionId} ${hit.seq}`}
      className="palette-item palette-hit"
      title={exactTime(hit.ts)}
      onSelect={onSelect}
    >
      <span className="palette-kind small secondary">{i18n._(kind)}</span>
      <span className="palette-snippet grow" dir="auto">
        <Snippet parts={hit.snippet} />
      </span>
    </Cmdk.Item>
  );
}

function grouped(hits: readonly SearchHit[]): SearchHit[][] {
  const ids = [...new Set(hits.map((hit) => hit.sessionId))];
  return ids.map((id) => hits.filter((hit) => hit.sessionId === id));
}
