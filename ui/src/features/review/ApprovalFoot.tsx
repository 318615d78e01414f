import { type ReactNode, useId } from "react";
import { Button } from "../../components/Button";

type Props = {
  note: string;
  onNote: (note: string) => void;
  state: "deciding" | "sending" | "sent";
  /** Said to assistive technology beside the buttons' names. */
  detail: string;
  summary?: string;
  accept: string;
  reject: string;
  onAccept: () => void;
  onReject: () => void;
  /** Ways to approve for longer than once. */
  keep?: ReactNode;
};

export function ApprovalFoot({
  note,
  onNote,
  state,
  detail,
  summary,
  accept,
  reject,
  onAccept,
  onReject,
  keep,
}: Props) {
  const described = useId();
  if (state !== "deciding") {
    return (
      <footer className="approval-foot">
        <p className="secondary" role="status">
          {state === "sending" ? "Sending your decision…" : "Decided. Waiting for the engine to apply it…"}
        </p>
      </footer>
    );
  }
  return (
    <footer className="approval-foot">
      <textarea
        className="field"
        rows={1}
        aria-label="Note to the model"
        placeholder="Note to the model (optional)"
        value={note}
        onChange={(event) => onNote(event.target.value)}
      />
      <div className="approval-buttons">
        <span className="sr-only" id={described}>
          {detail}
        </span>
        <Button
          look="primary"
          title={accept}
          shortcut="Mod+Enter"
          aria-describedby={described}
          onClick={onAccept}
        >
          {accept}
        </Button>
        <Button aria-describedby={described} onClick={onReject}>
          {reject}
        </Button>
        {summary && (
          <span className="secondary small" aria-hidden>
            {summary}
          </span>
        )}
      </div>
      {keep}
    </footer>
  );
}
