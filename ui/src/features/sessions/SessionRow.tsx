import { plural, t } from "@lingui/core/macro";
import { GitFork } from "lucide-react";
import { memo, useId, useLayoutEffect, useRef } from "react";
import { StateGlyph, stateWords } from "../../components/StateGlyph";
import type { SessionSummary } from "../../protocol/generated";
import { TitleEditor } from "./TitleEditor";

type RowProps = {
  session: SessionSummary;
  /** How many worked for it. */
  subagents: number;
  current: boolean;
  /** How many of each wait for the user. */
  approvals: number;
  questions: number;
  onSelect: (id: string) => void;
  renaming: boolean;
  onRenaming: (id: string | null) => void;
};

/** One of perhaps thousands: drawn anew only when it says something else. */
export const Row = memo(function Row({ session, renaming, ...rest }: RowProps) {
  const { subagents, current, approvals, questions, onSelect, onRenaming } = rest;
  const button = useRef<HTMLButtonElement>(null);
  /** Who ends renaming with a key goes on in the list: the button gets the focus as soon as it is there. */
  const focusNext = useRef(false);
  useLayoutEffect(() => {
    if (renaming || !focusNext.current) return;
    focusNext.current = false;
    button.current?.focus();
  }, [renaming]);
  const waits = approvals + questions > 0;
  const state = waits ? "waiting" : session.state;
  const described = useId();
  const title = session.title || t`Untitled session`;
  if (renaming) {
    const done = (byKey: boolean) => {
      focusNext.current = byKey;
      onRenaming(null);
    };
    return <TitleEditor session={session} onDone={done} />;
  }
  return (
    <>
      <button
        ref={button}
        type="button"
        className={session.parent === null ? "session" : "session session-subagent"}
        aria-current={current ? "true" : undefined}
        aria-describedby={described}
        title={title}
        onClick={() => onSelect(session.sessionId)}
        onKeyDown={(event) => {
          if (event.key !== "F2") return;
          event.preventDefault();
          onRenaming(session.sessionId);
        }}
      >
        <StateGlyph state={state} />
        {session.parent !== null && <b className="session-agent cut">{session.agent}</b>}
        <span className="cut grow">{title}</span>
        {session.origin && <GitFork size={12} className="session-mark" aria-hidden />}
        {state === "interrupted" && (
          <span className="session-mark small" aria-hidden>
            {t`interrupted`}
          </span>
        )}
      </button>
      <span id={described} className="sr-only">
        {stateWords(state)}
        {waits && `, ${waitingWords(approvals, questions)}`}
        {session.origin && t`, a fork`}
        {session.parent !== null && t`, a sub-agent`}
        {subagents > 0 && `, ${plural(subagents, { one: "# sub-agent", other: "# sub-agents" })}`}
      </span>
    </>
  );
});

export function waitingWords(approvals: number, questions: number): string {
  const asked = questions > 0 ? plural(questions, { one: "# open question", other: "# open questions" }) : "";
  const pending =
    approvals > 0 || questions === 0
      ? plural(approvals, { one: "# pending approval", other: "# pending approvals" })
      : "";
  return [pending, asked].filter(Boolean).join(", ");
}
