import { t } from "@lingui/core/macro";
import { Command as Cmdk } from "cmdk";
import { exactTime, folderName, shortTime } from "../../components/format";
import { isMarked, StateGlyph } from "../../components/StateGlyph";
import type { SessionSummary } from "../../protocol/generated";
import { projectOf } from "../../protocol/sessions";

type Props = { sessions: readonly SessionSummary[]; onSession: (sessionId: string) => void };

/** Sessions to go to, each with its folder: they are of all projects. */
export function SessionHits({ sessions, onSession }: Props) {
  if (sessions.length === 0) return null;
  return (
    <Cmdk.Group heading={t`Sessions`} className="palette-group">
      {sessions.map((session) => (
        <Cmdk.Item
          key={session.sessionId}
          value={`session ${session.sessionId}`}
          className="palette-item"
          onSelect={() => onSession(session.sessionId)}
        >
          {isMarked(session.state) ? (
            <StateGlyph state={session.state} />
          ) : (
            <span className="glyph" aria-hidden />
          )}
          <span className="cut grow" dir="auto">
            {session.title}
          </span>
          <span className="small secondary">{folderName(projectOf(session))}</span>
          <span className="small secondary" title={exactTime(session.updatedAt)}>
            {shortTime(session.updatedAt)}
          </span>
        </Cmdk.Item>
      ))}
    </Cmdk.Group>
  );
}
