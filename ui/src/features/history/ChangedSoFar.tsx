/** The files that a session and its sub-agents have changed so far: what a pipeline's gate is about. */
import { t } from "@lingui/core/macro";
import { useEffect, useId, useState } from "react";
import { List } from "../../components/List";
import { useArki, useSessions } from "../../platform/context";
import type { ChangedFile } from "../../protocol/generated";
import { subagentsOf } from "../../protocol/sessions";
import { Row } from "./ChangedFiles";
import "./history.css";

type Props = {
  sessionId: string;
  onLines: (sessionId: string, path: string) => void;
  onEditor: (path: string) => void;
  onReveal: (path: string) => void;
};

export function ChangedSoFar({ sessionId, onLines, ...places }: Props) {
  const heading = useId();
  const changed = useChanged([sessionId, ...subagentsOf(useSessions(), sessionId)]);
  if (changed.length === 0) return null;
  return (
    <section className="changed-files so-far" aria-labelledby={heading}>
      <h3 id={heading}>{t`Files changed so far`}</h3>
      <List aria-labelledby={heading}>
        {changed.map(({ by, file }) => (
          <Row
            key={`${by} ${file.path}`}
            sessionId={by}
            file={file}
            net={null}
            isAsBefore={false}
            onAsk={null}
            onLines={(path) => onLines(by, path)}
            onTakeBack={null}
            {...places}
          />
        ))}
      </List>
    </section>
  );
}

type Changed = { by: string; file: ChangedFile };

/** Nothing changes while the gate waits, so this asks once. What can't be told is left out. */
function useChanged(sessionIds: readonly string[]): readonly Changed[] {
  const { platform } = useArki();
  const [changed, setChanged] = useState<readonly Changed[]>([]);
  const ids = sessionIds.join(" ");
  useEffect(() => {
    let isWanted = true;
    const asked = ids.split(" ").map(async (sessionId) => {
      const { changedFiles } = await platform.call("session_overview", { sessionId });
      return changedFiles.map((file) => ({ by: sessionId, file }));
    });
    void Promise.allSettled(asked).then((all) => {
      if (isWanted) setChanged(all.flatMap((one) => (one.status === "fulfilled" ? one.value : [])));
    });
    return () => {
      isWanted = false;
    };
  }, [platform, ids]);
  return changed;
}
