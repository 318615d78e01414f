import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { Command as Cmdk } from "cmdk";
import { exactTime, folderName } from "../../components/format";
import { Snippet } from "../../components/Snippet";
import type { SearchHit } from "../../protocol/generated";

/** Who or what an event is from, in one word. */
const kinds: Readonly<Record<string, MessageDescriptor>> = {
  "run.started": msg`you`,
  "message.queued": msg`you`,
  "question.answered": msg`you`,
  "output.message": msg`Arki`,
  "run.completed": msg`Arki`,
  "tool.call": msg`call`,
  "tool.result": msg`result`,
  "approval.requested": msg`asked`,
  "approval.resolved": msg`decided`,
  "file.changed": msg`file`,
  "session.created": msg`title`,
  "run.failed": msg`failure`,
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
  const kind = kinds[hit.type];
  return (
    <Cmdk.Item
      value={`hit ${hit.sessionId} ${hit.seq}`}
      className="palette-item palette-hit"
      title={exactTime(hit.ts)}
      onSelect={onSelect}
    >
      <span className="palette-kind small secondary">{kind ? i18n._(kind) : hit.type}</span>
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
