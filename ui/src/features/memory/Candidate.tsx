import { t } from "@lingui/core/macro";
import { useRef, useState } from "react";
import { Button } from "../../components/Button";
import { exactTime, folderName } from "../../components/format";
import { useSessions } from "../../platform/context";
import type { MemoryEntry } from "../../protocol/generated";
import { MemoryEditor } from "./MemoryEditor";

type Props = {
  entry: MemoryEntry;
  /** With the user's own words, if they changed it. */
  onAccept: (text: string | null) => Promise<boolean>;
  onReject: () => Promise<boolean>;
  onSession: (sessionId: string) => void;
};

export function Candidate({ entry, onAccept, onReject, onSession }: Props) {
  const [editing, setEditing] = useState(false);
  const [deciding, setDeciding] = useState(false);
  const about = `memory-${entry.id}`;
  const row = useRef<HTMLLIElement>(null);
  const decide = async (work: () => Promise<boolean>) => {
    const { nextElementSibling, previousElementSibling } = row.current ?? {};
    setDeciding(true);
    const done = await work();
    setDeciding(false);
    // This one is gone by then: the focus goes to its neighbour.
    if (done)
      (nextElementSibling ?? previousElementSibling)
        ?.querySelector<HTMLElement>(".memory-actions > button")
        ?.focus();
    return done;
  };
  return (
    <li ref={row} className="memory">
      {editing ? (
        <MemoryEditor
          text={entry.text}
          save={t`Accept as edited`}
          onSave={(text) => decide(() => onAccept(text))}
          onCancel={() => setEditing(false)}
        />
      ) : (
        <>
          <p id={about} className="memory-text" dir="auto">
            {entry.text}
          </p>
          <p className="small secondary">
            {scopeWords(entry)}
            <Origin entry={entry} onSession={onSession} />
          </p>
          <div className="memory-actions">
            <Button
              small
              aria-describedby={about}
              disabled={deciding}
              onClick={() => decide(() => onAccept(null))}
            >
              {t`Accept`}
            </Button>
            <Button small aria-describedby={about} disabled={deciding} onClick={() => setEditing(true)}>
              {t`Edit`}
            </Button>
            <Button small aria-describedby={about} disabled={deciding} onClick={() => decide(onReject)}>
              {t`Reject`}
            </Button>
          </div>
        </>
      )}
    </li>
  );
}

function scopeWords({ scope, project }: MemoryEntry): string {
  if (scope === "user") return t`For all projects`;
  return project === null ? t`For this project` : t`For ${folderName(project)}`;
}

function Origin({ entry: { sessionId, ts }, onSession }: Pick<Props, "entry" | "onSession">) {
  const session = useSessions().find((one) => one.sessionId === sessionId);
  if (sessionId === null) return null;
  return (
    <>
      {" · "}
      <button
        type="button"
        className="link"
        title={ts === null ? t`Show the session` : t`Show the session, ${exactTime(ts)}`}
        onClick={() => onSession(sessionId)}
      >
        {t`from “${session?.title || t`a session`}”`}
      </button>
    </>
  );
}
