/** What the palette lists, group by group: commands, sessions, files, and what was said, run or changed in sessions. */
import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { Command as Cmdk } from "cmdk";
import type { ComponentProps, ReactNode } from "react";
import { visibleWords } from "../../components/code/invisible";
import type { Command } from "../../components/commands";
import { exactTime, folderName, shortTime } from "../../components/format";
import { Snippet } from "../../components/Snippet";
import { isMarked, StateGlyph } from "../../components/StateGlyph";
import { showShortcut } from "../../components/shortcuts";
import type { SearchHit, SessionSummary } from "../../protocol/generated";
import { projectOf } from "../../protocol/sessions";

/** Nothing where it has no items. */
function Group({ heading, children }: { heading: string; children: ReactNode[] }) {
  if (children.length === 0) return null;
  return (
    <Cmdk.Group heading={heading} className="palette-group">
      {children}
    </Cmdk.Group>
  );
}

function Item(props: ComponentProps<typeof Cmdk.Item>) {
  return <Cmdk.Item className="palette-item" {...props} />;
}

type CommandsProps = { section: string; commands: Command[]; onCommand: (command: Command) => void };

export function Commands({ section, commands, onCommand }: CommandsProps) {
  return (
    <Group heading={section}>
      {commands.map((command) => (
        <Item key={command.id} value={command.id} onSelect={() => onCommand(command)}>
          <span className="cut grow">{titleOf(command)}</span>
          {command.shortcut && <kbd>{showShortcut(command.shortcut)}</kbd>}
        </Item>
      ))}
    </Group>
  );
}

/** Nothing hides in what others named. Arki's own words have spaces that don't break, and they stay spaces. */
function titleOf({ title, foreign }: Command): string {
  return foreign === undefined ? title : title.replace(foreign, () => visibleWords(foreign));
}

type SessionsProps = { sessions: readonly SessionSummary[]; onSession: (sessionId: string) => void };

/** Sessions to go to, each with its folder: they are of all projects. */
export function Sessions({ sessions, onSession }: SessionsProps) {
  return (
    <Group heading={t`Sessions`}>
      {sessions.map((session) => (
        <Item
          key={session.sessionId}
          value={`session ${session.sessionId}`}
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
        </Item>
      ))}
    </Group>
  );
}

/** Files of the folder, by their paths. */
export function Files({ paths, onFile }: { paths: readonly string[]; onFile: (path: string) => void }) {
  return (
    <Group heading={t`Files, to open in your editor`}>
      {paths.map((path) => (
        <Item key={path} value={`file ${path}`} onSelect={() => onFile(path)}>
          <code className="cut grow">{visibleWords(path)}</code>
        </Item>
      ))}
    </Group>
  );
}

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

type HitsProps = { hits: readonly SearchHit[]; onHit: (hit: SearchHit) => void };

/** What was found, by session, in the order in which it was found. */
export function Hits({ hits, onHit }: HitsProps) {
  const firsts = hits.filter(
    ({ sessionId }, place) => hits.findIndex((hit) => hit.sessionId === sessionId) === place,
  );
  return firsts.map(({ sessionId, title, project }) => (
    <Group key={sessionId} heading={`${title || t`Untitled session`} · ${folderName(project)}`}>
      {hits
        .filter((hit) => hit.sessionId === sessionId)
        .map((hit) => (
          <Item
            key={hit.seq}
            value={`hit ${sessionId} ${hit.seq}`}
            className="palette-item palette-hit"
            title={exactTime(hit.ts)}
            onSelect={() => onHit(hit)}
          >
            {/* A newer Arki may have written it. */}
            <span className="palette-kind small secondary">{i18n._(kinds[hit.type] ?? msg`event`)}</span>
            <span className="palette-snippet grow" dir="auto">
              <Snippet parts={hit.snippet} />
            </span>
          </Item>
        ))}
    </Group>
  ));
}
