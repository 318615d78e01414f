/** One memory: proposed, to be decided about, or accepted, to be edited or removed. */
import { t } from "@lingui/core/macro";
import { Pencil, Trash2 } from "lucide-react";
import { type KeyboardEvent, useRef, useState } from "react";
import { Button } from "../../components/Button";
import { exactTime, folderName, homePath } from "../../components/format";
import { IconButton } from "../../components/IconButton";
import { cancelOnEscape, sends } from "../../components/shortcuts";
import { useSessions } from "../../platform/context";
import type { MemoryEntry } from "../../protocol/generated";

type CandidateProps = {
  entry: MemoryEntry;
  /** With the user's own words, if they changed it. */
  onAccept: (text: string | null) => Promise<boolean>;
  onReject: () => Promise<boolean>;
  onSession: (sessionId: string) => void;
};

export function Candidate({ entry, onAccept, onReject, onSession }: CandidateProps) {
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
  const button = { small: true, disabled: deciding, "aria-describedby": about };
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
            <Button {...button} onClick={() => decide(() => onAccept(null))}>
              {t`Accept`}
            </Button>
            <Button {...button} onClick={() => setEditing(true)}>
              {t`Edit`}
            </Button>
            <Button {...button} onClick={() => decide(onReject)}>
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

function Origin({ entry: { sessionId, ts }, onSession }: Pick<CandidateProps, "entry" | "onSession">) {
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

type AcceptedProps = {
  entry: MemoryEntry;
  onEdit: (text: string) => Promise<boolean>;
  onRemove: () => Promise<boolean>;
};

export function Accepted({ entry, onEdit, onRemove }: AcceptedProps) {
  const [editing, setEditing] = useState(false);
  const about = `memory-${entry.id}`;
  if (editing) {
    return (
      <li className="memory">
        <MemoryEditor
          text={entry.text}
          save={t`Save`}
          onSave={async (text) => {
            const done = await onEdit(text);
            if (done) setEditing(false);
            return done;
          }}
          onCancel={() => setEditing(false)}
        />
      </li>
    );
  }
  return (
    <li className="memory memory-accepted">
      <div className="grow">
        <p id={about} className="memory-text" dir="auto">
          {entry.text}
        </p>
        {entry.path !== null && (
          <p className="small secondary cut" title={entry.path}>
            {homePath(entry.path)}
          </p>
        )}
        {!entry.used && (
          <p className="small attention">
            {t`! Not used: its file has changed since you trusted it. Review the folder's trust.`}
          </p>
        )}
      </div>
      <IconButton
        label={t`Edit memory`}
        aria-describedby={about}
        icon={Pencil}
        onClick={() => setEditing(true)}
      />
      <IconButton label={t`Remove memory`} aria-describedby={about} icon={Trash2} onClick={onRemove} />
    </li>
  );
}

type EditorProps = {
  text: string;
  /** What saving is called. */
  save: string;
  onSave: (text: string) => Promise<boolean>;
  onCancel: () => void;
};

/** One memory is one line: Enter saves it. */
function MemoryEditor({ text, save, onSave, onCancel }: EditorProps) {
  const [words, setWords] = useState(text);
  const [saving, setSaving] = useState(false);
  const ready = words.trim() !== "" && !saving;
  const keep = async () => {
    setSaving(true);
    if (!(await onSave(words.trim()))) setSaving(false);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    cancelOnEscape(onCancel)(event);
    if (!sends(event.nativeEvent)) return;
    event.preventDefault();
    if (ready) void keep();
  };
  return (
    <div className="memory-editor" data-typing>
      <textarea
        className="field"
        aria-label={t`Memory`}
        rows={2}
        dir="auto"
        // biome-ignore lint/a11y/noAutofocus: the user asked to edit it
        autoFocus
        value={words}
        onChange={(event) => setWords(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <div className="memory-actions">
        <Button small look="primary" disabled={!ready} onClick={keep}>
          {save}
        </Button>
        <Button small onClick={onCancel}>
          {t`Cancel`}
        </Button>
      </div>
    </div>
  );
}
