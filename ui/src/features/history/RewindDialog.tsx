/** Going back: what will happen to the conversation and to each file, said before it happens. */
import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, plural, t } from "@lingui/core/macro";
import { useId, useState } from "react";
import { Button } from "../../components/Button";
import { Dialog } from "../../components/Dialog";
import { ErrorNote } from "../../components/ErrorNote";
import { useActs } from "../../components/useActs";
import { useAnswer } from "../../components/useAnswer";
import { useArki, useSessionPart, useSessions } from "../../platform/context";
import type { RewindPreview } from "../../protocol/generated";
import { isTakenBack } from "../../protocol/rewinds";
import type { RewoundItem, SentMessage, Transcript } from "../../protocol/transcript";
import { Restored, writes } from "./Restored";
import "./history.css";
import "../../components/checks.css";

type What = "both" | "conversation" | "files";

type Props = {
  sessionId: string;
  toSeq: number;
  /** The event that this takes back, where it is a rewind itself. */
  undoes: number | null;
  /** Of the message that is to be edited and sent again, if that is why. */
  words?: string;
  /** The messages stay as they are, unless that is asked for. */
  filesOnly?: boolean;
  onClose: () => void;
  /** With what was said then; null where the conversation stays. */
  onDone: (said: SentMessage | null) => void;
};

const choices: { value: What; label: MessageDescriptor; detail: MessageDescriptor }[] = [
  {
    value: "both",
    label: msg`Conversation and files`,
    detail: msg`Revert later messages, and restore the files as they were.`,
  },
  {
    value: "conversation",
    label: msg`Conversation`,
    detail: msg`Revert later messages. Files stay as they are.`,
  },
  { value: "files", label: msg`Files`, detail: msg`Restore the files. Messages stay.` },
];

export function RewindDialog({ sessionId, toSeq, undoes, words, filesOnly, onClose, onDone }: Props) {
  const arki = useArki();
  const { busy, error: failed, attempt } = useActs();
  const about = useId();
  const edits = words !== undefined;
  const transcript = useSessionPart(sessionId, (view) => view.transcript);
  const message = transcript.items.find((item) => item.kind === "user" && item.seq === toSeq + 1);
  const pictures = message?.kind === "user" ? message.pictures : [];
  const [what, setWhat] = useState<What>(() => (filesOnly ? "files" : whatOf(transcript, undoes)));
  const running = useSessions().find((one) => one.sessionId === sessionId)?.state === "running";
  const params = { sessionId, toSeq, files: what !== "conversation", conversation: what !== "files" };
  const { answer: preview, error } = useAnswer("rewind_preview", params);
  const rewind = () =>
    attempt(async () => {
      const done = await arki.platform.call("rewind", params);
      const text = params.conversation ? (words ?? done.prompt) : null;
      onDone(text === null ? null : { text, pictures });
    });
  const summary = preview
    ? summaryWords(preview, params.conversation ? goneMessages(transcript, toSeq) : 0)
    : "";
  const footer = (
    <>
      <span id={about} className="secondary small grow">
        {running ? t`A run is in progress. Stop it first.` : summary}
      </span>
      {running && (
        <Button onClick={() => void arki.platform.call("stop_run", { sessionId }).catch(() => undefined)}>
          {t`Stop the run`}
        </Button>
      )}
      <Button onClick={onClose}>{t`Cancel`}</Button>
      <Button
        look="primary"
        disabled={busy || running || preview === null}
        aria-describedby={about}
        onClick={rewind}
      >
        {edits ? t`Rewind and edit` : t`Rewind`}
      </Button>
    </>
  );
  return (
    <Dialog
      title={edits ? t`Edit and resend` : titleOf(transcript, toSeq, undoes)}
      open
      onClose={onClose}
      footer={footer}
      wide
    >
      <p className="secondary history-lead">
        {edits
          ? t`This rewinds to before the message and puts it back into the message box. Nothing is lost: reverted messages stay in the log, and you can undo the rewind.`
          : undoes === null
            ? t`Nothing is lost. Reverted messages stay in the log, and you can undo the rewind.`
            : t`This restores everything to how it was before that rewind.`}
      </p>
      <fieldset className="history-choices">
        <legend className="sr-only">{t`What to rewind`}</legend>
        {choices
          .filter(({ value }) => !edits || value !== "files")
          .map((choice) => (
            <label key={choice.value} className="history-choice">
              <input
                type="radio"
                name="what"
                value={choice.value}
                checked={what === choice.value}
                onChange={() => setWhat(choice.value)}
              />
              <span>{i18n._(choice.label)}</span>
              <span className="small secondary">{i18n._(choice.detail)}</span>
            </label>
          ))}
      </fieldset>
      {failed && <ErrorNote error={failed} />}
      {error && <ErrorNote error={error} />}
      {!preview && !error && <p className="secondary">{t`Checking the files…`}</p>}
      {preview &&
        (params.files ? <Restored preview={preview} /> : <p className="secondary">{t`No files change.`}</p>)}
    </Dialog>
  );
}

function titleOf({ items }: Transcript, toSeq: number, undoes: number | null): string {
  if (undoes !== null) return t`Undo this rewind`;
  const next = items.find((item) => item.seq === toSeq + 1);
  return next?.kind === "compacted" ? t`Go back to before the compaction` : t`Rewind to this message`;
}

/** A rewind is taken back as it was made. */
function whatOf(transcript: Transcript, undoes: number | null): What {
  const rewound = transcript.items.find((item) => item.kind === "rewound" && item.seq === undoes);
  if (rewound?.kind !== "rewound" || rewound.files === rewound.conversation) return "both";
  return rewound.files ? "files" : "conversation";
}

/** Messages of both sides, as far as they are loaded. */
function goneMessages(transcript: Transcript, toSeq: number): number {
  const made = transcript.items.filter((item) => item.kind === "rewound" && item.conversation);
  const rewinds = [...(made as RewoundItem[]), { seq: Number.MAX_SAFE_INTEGER, toSeq }];
  const said = transcript.items.filter((item) => item.kind === "user" || item.kind === "assistant");
  return said.filter((item) => !item.takenBack && isTakenBack(rewinds, item.seq)).length;
}

function summaryWords(preview: RewindPreview, messages: number): string {
  const files = writes(preview.changes);
  const words = [
    messages > 0 ? t`${plural(messages, { one: "# message", other: "# messages" })} reverted` : "",
    files > 0 ? t`${plural(files, { one: "# file", other: "# files" })} changed` : "",
  ];
  return words.filter((word) => word !== "").join(", ");
}
