import { plural, t } from "@lingui/core/macro";
import { Ellipsis, GitBranch, GitFork } from "lucide-react";
import { memo, useId, useLayoutEffect, useRef, useState } from "react";
import { exactTime, shortTime } from "../../components/format";
import { lazily } from "../../components/lazily";
import { isMarked, StateGlyph, stateWords } from "../../components/StateGlyph";
import type { SessionView } from "../../platform/stores/session_view";
import type { Store } from "../../platform/stores/store";
import type { SessionLines, SessionState, SessionSummary } from "../../protocol/generated";

const Doing = lazily(() => import("./Doing").then((part) => part.Doing));
const TitleEditor = lazily(() => import("./TitleEditor").then((part) => part.TitleEditor));

type RowProps = {
  session: SessionSummary;
  /** Null where it changed no file, or nobody has counted yet. */
  lines: SessionLines | null;
  /** How many worked for it. */
  subagents: number;
  current: boolean;
  /** It has room for two lines. */
  tall: boolean;
  /** Where what its run does is known, which stands in the second line. */
  doing: Store<SessionView> | null;
  unread: boolean;
  /** How many of each wait for the user. */
  approvals: number;
  questions: number;
  onSelect: (id: string) => void;
  /** Asks for the menu of the row that this is. */
  onMenu: (row: HTMLElement) => void;
  renaming: boolean;
  onRenaming: (id: string | null) => void;
};

/** One of perhaps thousands: drawn anew only when it says something else. */
export const Row = memo(function Row({ session, renaming, ...rest }: RowProps) {
  const { lines, subagents, current, tall, doing, unread, approvals, questions, onRenaming } = rest;
  const button = useRef<HTMLButtonElement>(null);
  /** Who ends renaming with a key goes on in the list: the button gets the focus as soon as it is there. */
  const focusNext = useRef(false);
  useLayoutEffect(() => {
    // What the pointer left meanwhile was told to nobody.
    if (renaming) setPointedAt(false);
    if (renaming || !focusNext.current) return;
    focusNext.current = false;
    button.current?.focus();
  }, [renaming]);
  const [isPointedAt, setPointedAt] = useState(false);
  const waits = approvals + questions > 0;
  const state = waits ? "waiting" : session.state;
  const described = useId();
  const used = shortTime(session.updatedAt);
  const title = session.title || t`Untitled session`;
  if (renaming) {
    const done = (byKey: boolean) => {
      focusNext.current = byKey;
      onRenaming(null);
    };
    return <TitleEditor session={session} onDone={done} />;
  }
  return (
    <div
      className={isPointedAt ? "session-line pointed-at" : "session-line"}
      onPointerEnter={(event) => event.pointerType !== "touch" && setPointedAt(true)}
      onPointerLeave={() => setPointedAt(false)}
    >
      <button
        ref={button}
        type="button"
        className={`session ${tall ? "session-tall" : ""} ${session.parent === null ? "" : "session-subagent"}`}
        data-session={session.sessionId}
        aria-current={current ? "true" : undefined}
        aria-describedby={described}
        title={
          isPointedAt
            ? [title, lines && lineWords(lines), exactTime(session.updatedAt)].filter(Boolean).join("\n")
            : title
        }
        onClick={() => rest.onSelect(session.sessionId)}
        onKeyDown={(event) => {
          if (event.key !== "F2") return;
          event.preventDefault();
          onRenaming(session.sessionId);
        }}
      >
        <Mark state={state} unread={unread} />
        {session.parent !== null && <b className="session-agent cut">{session.agent}</b>}
        <span className="session-said grow">
          <span className={tall && doing === null ? "session-two-lines" : "cut"} dir="auto">
            {title}
          </span>
          {doing && <Doing view={doing} />}
        </span>
        {session.worktree && (
          <span
            className="session-branch small"
            title={t`In the worktree ${session.worktree.branch}`}
            aria-hidden
          >
            <GitBranch size={12} />
          </span>
        )}
        {session.origin && <GitFork size={12} className="session-mark" aria-hidden />}
      </button>
      {isPointedAt && (
        <button
          type="button"
          className="button quiet icon small session-more"
          tabIndex={-1}
          aria-label={t`Menu of ${title}`}
          onClick={() => button.current && rest.onMenu(button.current)}
        >
          <Ellipsis size={16} aria-hidden />
        </button>
      )}
      <span id={described} className="sr-only">
        {stateWords(state)}
        {unread && t`, unread`}
        {waits && `, ${waitingWords(approvals, questions)}`}
        {session.worktree && t`, in the worktree ${session.worktree.branch}`}
        {session.origin && t`, a fork`}
        {session.parent !== null && t`, a sub-agent`}
        {session.pinned && t`, pinned`}
        {session.archived && t`, archived`}
        {lines && `, ${lineWords(lines)}`}
        {subagents > 0 && `, ${plural(subagents, { one: "# sub-agent", other: "# sub-agents" })}`}
        {t`, last used ${used}`}
      </span>
    </div>
  );
});

/** Only what wants to be looked at has one. */
function Mark({ state, unread }: { state: SessionState; unread: boolean }) {
  if (isMarked(state)) return <StateGlyph state={state} />;
  return (
    <span className="glyph glyph-unread" aria-hidden>
      {unread ? "•" : ""}
    </span>
  );
}

function lineWords({ files, added, removed }: SessionLines): string {
  const changed = plural(files, { one: "# changed file", other: "# changed files" });
  return added === null || removed === null
    ? changed
    : t`${changed}, ${added} lines added, ${removed} removed`;
}

export function waitingWords(approvals: number, questions: number): string {
  const asked = questions > 0 ? plural(questions, { one: "# open question", other: "# open questions" }) : "";
  const pending =
    approvals > 0 || questions === 0
      ? plural(approvals, { one: "# pending approval", other: "# pending approvals" })
      : "";
  return [pending, asked].filter(Boolean).join(", ");
}
