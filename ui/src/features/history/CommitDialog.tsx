/** Commits what the session changed; the message is proposed, and what stays out is said. */
import { plural, t } from "@lingui/core/macro";
import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import { Button } from "../../components/Button";
import { VisibleText } from "../../components/code/VisibleText";
import { Dialog } from "../../components/Dialog";
import { ErrorNote } from "../../components/ErrorNote";
import { List } from "../../components/List";
import { useActs } from "../../components/useActs";
import { useArki } from "../../platform/context";
import type { CommittedChanges, SessionResult } from "../../protocol/generated";
import "./history.css";

type Props = { sessionId: string; onClose: () => void; onDone: (said: string) => void };

export function CommitDialog({ sessionId, onClose, onDone }: Props) {
  const { platform } = useArki();
  const field = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  const [result, setResult] = useState<SessionResult | null>(null);
  const [message, setMessage] = useState("");
  const { busy, error, attempt } = useActs();
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked once
  useEffect(() => {
    void attempt(async () => {
      const told = await platform.call("session_result", { sessionId });
      setResult(told);
      setMessage(told.message);
    });
  }, []);
  const commit = (event: FormEvent) => {
    event.preventDefault();
    void attempt(async () => {
      onDone(doneWords(await platform.call("commit_changes", { sessionId, message })));
    });
  };
  const files = result?.files.filter((file) => !file.isCommitted) ?? [];
  const footer = (
    <>
      <Button onClick={onClose}>{t`Cancel`}</Button>
      <Button
        look="primary"
        type="submit"
        form={id}
        disabled={busy || message.trim() === "" || files.length === 0}
      >
        {t`Commit`}
      </Button>
    </>
  );
  return (
    <Dialog title={t`Commit changes`} open onClose={onClose} footer={footer} initialFocus={field}>
      <form id={id} className="commit-form" onSubmit={commit} data-typing>
        <label htmlFor={`${id}-message`}>{t`Message`}</label>
        <textarea
          ref={field}
          id={`${id}-message`}
          className="field"
          rows={3}
          value={message}
          onChange={(event) => setMessage(event.target.value)}
        />
      </form>
      <p className="small">
        {t`${plural(files.length, { one: "# file", other: "# files" })} on ${result?.branch ?? ""}`}
      </p>
      <List className="commit-files mono small">
        {files.map((file) => (
          <li key={file.path}>
            <VisibleText text={file.path} />
          </li>
        ))}
      </List>
      <p className="small secondary">
        {t`Only what Arki changed in this session. Your own changes, and what you staged, stay as they are. Hooks and signing don't run.`}
      </p>
      {error && <ErrorNote error={error} />}
    </Dialog>
  );
}

function doneWords({ commit, files, mixed, leftOut, notRun }: CommittedChanges): string {
  const count = plural(files.length, { one: "# file", other: "# files" });
  const out = [...mixed, ...leftOut];
  const said = [
    t`Committed ${count} as ${commit}.`,
    out.length > 0 && t`Left out: ${out.join(", ")}.`,
    notRun.length > 0 && t`Not run: ${notRun.map(notRunWords).join(", ")}.`,
  ];
  return said.filter(Boolean).join(" ");
}

/** A hook by its name, else the setting that would have been heeded. */
function notRunWords(name: string): string {
  if (name === "core.hooksPath") return t`hooks (core.hooksPath)`;
  return name === "commit.gpgSign" ? t`signing (commit.gpgSign)` : name;
}
