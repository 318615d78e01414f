/** The files that sessions have changed so far: what a pipeline's gate is about, and what sub-agents added to a result. */
import { t } from "@lingui/core/macro";
import { useEffect, useId, useState } from "react";
import { List } from "../../components/List";
import { useArki, useSessions } from "../../platform/context";
import type { ChangedFile } from "../../protocol/generated";
import { subagentsOf } from "../../protocol/sessions";
import { Row } from "./ChangedFiles";
import "./history.css";

type Places = {
  onLines: (sessionId: string, path: string) => void;
  onEditor: (path: string) => void;
  onReveal: (path: string) => void;
};
type Props = Places & { sessionId: string };

/** By a session and its sub-agents. */
export function ChangedSoFar({ sessionId, ...places }: Props) {
  const by = [sessionId, ...subagentsOf(useSessions(), sessionId)];
  return <ChangedBy by={by} heading={t`Files changed so far`} {...places} />;
}

/** By its sub-agents alone, where they worked in the same folder. */
export function ChangedBySubagents({ sessionId, ...places }: Props) {
  const sessions = useSessions();
  const folderOf = (one: string) => sessions.find((session) => session.sessionId === one)?.project;
  const by = subagentsOf(sessions, sessionId).filter((one) => folderOf(one) === folderOf(sessionId));
  return <ChangedBy by={by} heading={t`Files changed by sub-agents`} {...places} />;
}

type ByProps = Places & { by: readonly string[]; heading: string };

function ChangedBy({ by: sessionIds, heading: words, onLines, ...places }: ByProps) {
  const heading = useId();
  const changed = useChanged(sessionIds);
  if (changed.length === 0) return null;
  return (
    <section className="changed-files so-far" aria-labelledby={heading}>
      <h3 id={heading}>{words}</h3>
      <List aria-labelledby={heading}>
        {changed.map(({ by, file }) => (
          <Row
            key={`${by} ${file.path}`}
            sessionId={by}
            file={file}
            onLines={(path) => onLines(by, path)}
            {...places}
          />
        ))}
      </List>
    </section>
  );
}

type Changed = { by: string; file: ChangedFile };

/** Asked for anew when a session starts, waits or ends. What can't be told is left out. */
function useChanged(sessionIds: readonly string[]): readonly Changed[] {
  const { platform } = useArki();
  const [changed, setChanged] = useState<readonly Changed[]>([]);
  const ids = sessionIds.join(" ");
  const states = useSessions()
    .flatMap((one) => (sessionIds.includes(one.sessionId) ? [one.state] : []))
    .join(" ");
  // biome-ignore lint/correctness/useExhaustiveDependencies: `states` says when it is another answer
  useEffect(() => {
    let isWanted = true;
    const asked = ids
      .split(" ")
      .filter(Boolean)
      .map(async (sessionId) => {
        const { changedFiles } = await platform.call("session_overview", { sessionId });
        return changedFiles.map((file) => ({ by: sessionId, file }));
      });
    void Promise.allSettled(asked).then((all) => {
      if (isWanted) setChanged(all.flatMap((one) => (one.status === "fulfilled" ? one.value : [])));
    });
    return () => {
      isWanted = false;
    };
  }, [platform, ids, states]);
  return changed;
}
