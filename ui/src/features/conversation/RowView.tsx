import { t } from "@lingui/core/macro";
import { memo, useState } from "react";
import { Button } from "../../components/Button";
import { VisibleText } from "../../components/code/VisibleText";
import { ErrorBoundary } from "../../components/ErrorBoundary";
import { ErrorNote } from "../../components/ErrorNote";
import { clock, duration, exactTime } from "../../components/format";
import { isSettingsCode, KeyButton } from "../../components/keys/KeyButton";
import { LongText } from "../../components/LongText";
import { lazily } from "../../components/lazily";
import { Markdown, type OnLink } from "../../components/markdown/Markdown";
import type { ContextCompaction } from "../../protocol/generated";
import type { GrowingText } from "../../protocol/growing";
import type { AssistantItem, FailureItem, Notice } from "../../protocol/transcript";
import { Reads } from "./CallCard";
import { Forked, Rewound, Stopped, Taken } from "./Divider";
import { AnswerActions, type HistoryActions, UserActions } from "./MessageActions";
import { noticeWords } from "./notice_words";
import type { PictureOf } from "./pictures/SentPictures";
import { QuestionCard } from "./QuestionCard";
import type { Row } from "./rows";
import { ToolCard } from "./ToolCard";

export type RowActions = HistoryActions & {
  onLink: OnLink;
  sessionId: string;
  onReview: () => void;
  onSettings: () => void;
  /** To enter another key for a provider. */
  onKey: (provider: string) => void;
  onTrust: () => void;
  /** Null where the run can't go on: its log is broken, or it is over. */
  onResume: (() => void) | null;
  /** Null where nothing may be added to the log. Rejects with a `CommandError`. */
  onAnswer: ((questionId: string, text: string) => Promise<void>) | null;
  /** The log is broken: nothing may be added to it. */
  readOnly: boolean;
  onToggle: (key: string) => void;
  /** Null: its end. */
  onOpenSession: (sessionId: string, seq: number | null) => void;
  /** To an event of this session. */
  onShow: (seq: number) => void;
  /** What a compaction left out; null where it no longer holds. */
  leftOutBy: (seq: number) => Promise<ContextCompaction | null>;
  pictureOf: PictureOf;
  titleOf: (sessionId: string) => string;
  /** Who speaks besides the user. */
  agent: string;
};

const Compacted = lazily(() => import("./Compacted").then((part) => part.Compacted));
const DelegateCard = lazily(
  () => import("./DelegateCard").then((part) => part.DelegateCard),
  () => <div className="tool" />,
);
const HookNotice = lazily(() => import("./HookNotes").then((part) => part.HookNotice));
const PlainRow = lazily(() => import("./PlainRow").then((part) => part.PlainRow));
const SentPictures = lazily(
  () => import("./pictures/SentPictures").then((part) => part.SentPictures),
  () => <div className="sent-pictures" />,
);

type Props = { row: Row; actions: RowActions; found: boolean };

/** What of a row is drawn. */
const drawn = ["item", "speaker", "output", "changed", "offers", "told", "thoughtMs"] as const;

export const RowView = memo(
  function RowView({ row, actions, found }: Props) {
    const { item } = row;
    const taken = "takenBack" in item && item.takenBack ? "taken-back" : "";
    return (
      <div
        className={`row row-${item.kind} ${taken} ${found ? "found" : ""}`}
        data-row={item.key}
        tabIndex={found || item.kind === "user" ? -1 : undefined}
      >
        <ErrorBoundary part={t`This row`} about={item} kept={<PlainRow row={row} />}>
          {row.speaker && <Speaker row={row} actions={actions} />}
          <Body row={row} actions={actions} />
        </ErrorBoundary>
      </div>
    );
  },
  (a, b) =>
    a.found === b.found && a.actions === b.actions && drawn.every((part) => a.row[part] === b.row[part]),
);

function Speaker({ row: { item }, actions }: { row: Row; actions: RowActions }) {
  const user = item.kind === "user" ? item : null;
  return (
    <div className="speaker">
      <span>{user ? (user.isTask ? t`Task` : t`You`) : actions.agent}</span>
      {Number.isFinite(item.seq) && (
        <span className="speaker-time small secondary" title={exactTime(item.ts)}>
          {clock(item.ts).slice(0, 5)}
        </span>
      )}
      {user?.steered && (
        <span className="speaker-time small secondary">{t`while ${actions.agent} was running`}</span>
      )}
      {user && !user.takenBack && !actions.readOnly && <UserActions item={user} actions={actions} />}
    </div>
  );
}

function Body({ row, actions }: { row: Row; actions: RowActions }) {
  const { item } = row;
  switch (item.kind) {
    case "user":
      return (
        <div className="own-words">
          <LongText className="user-text" text={item.text} />
          {item.pictures.length > 0 && (
            <SentPictures pictures={item.pictures} pictureOf={actions.pictureOf} />
          )}
        </div>
      );
    case "assistant":
      return <Answer item={item} row={row} actions={actions} />;
    case "tool":
      if (item.question) {
        return (
          <QuestionCard
            question={item.question}
            state={item.state}
            onAnswer={actions.onAnswer}
            onLink={actions.onLink}
          />
        );
      }
      if (item.toolId === "delegate") {
        const open = (sessionId: string) => actions.onOpenSession(sessionId, null);
        return <DelegateCard item={item} onReview={actions.onReview} onOpen={open} onLink={actions.onLink} />;
      }
      return (
        <ToolCard
          sessionId={actions.sessionId}
          item={item}
          output={row.output}
          changed={row.changed}
          onReview={actions.onReview}
          onTrust={row.offers === "trust" ? actions.onTrust : null}
        />
      );
    case "failure":
      return <Failure item={item} actions={actions} canResume={row.offers === "resume"} />;
    case "notice":
      return (
        <p className={`notice small ${toneOf(item.notice)}`}>
          <VisibleText text={noticeWords(item.notice)} />
        </p>
      );
    case "hook":
      return <HookNotice ran={item.ran} />;
    case "forked": {
      const open = () => actions.onOpenSession(item.fromSession, item.fromSeq);
      return <Forked item={item} title={actions.titleOf(item.fromSession)} onOpen={open} />;
    }
    case "compacted":
      return (
        <Compacted
          item={item}
          leftOutBy={actions.leftOutBy}
          onShow={actions.onShow}
          onLink={actions.onLink}
          onBack={actions.readOnly || item.takenBack ? null : () => actions.onRewind(item.seq - 1)}
        />
      );
    case "rewound":
      return (
        <Rewound
          item={item}
          onUndo={actions.readOnly ? null : () => actions.onRewind(item.seq - 1, item.seq)}
        />
      );
    case "reads":
      return <Reads item={item} onToggle={() => actions.onToggle(item.key)} />;
    case "taken":
      return <Taken item={item} onToggle={() => actions.onToggle(item.key)} />;
    case "stopped":
      return <Stopped item={item} onResume={actions.onResume} />;
  }
}

const toneOf = ({ what }: Notice) => (what === "cleaned_up" ? "attention" : "quiet");

function Answer({ item, row, actions }: { item: AssistantItem; row: Row; actions: RowActions }) {
  const { told } = row;
  const speaks = item.text !== "" || (told?.speaks ?? false);
  const thinks = item.thoughts !== "" || (told?.thinks ?? false);
  const settled = !row.streaming && !item.takenBack && !actions.readOnly && item.text !== "";
  return (
    <div className="answer" aria-busy={row.streaming || undefined}>
      {thinks && <Thoughts text={told?.thoughts ?? item.thoughts} words={thoughtWords(row, speaks)} />}
      {speaks && (
        <Markdown text={told?.text ?? item.text} onLink={actions.onLink} streaming={row.streaming} />
      )}
      {settled && <AnswerActions item={item} actions={actions} />}
      {item.interrupted && <p className="notice small attention">{t`! The answer was interrupted here.`}</p>}
    </div>
  );
}

/** Drawn only while they are unfolded. */
function Thoughts({ text, words }: { text: string | GrowingText; words: string }) {
  const [open, setOpen] = useState(false);
  return (
    <details className="thoughts" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="small">{words}</summary>
      {open && <LongText text={text} />}
    </details>
  );
}

function thoughtWords(row: Row, speaks: boolean): string {
  if (row.thoughtMs !== null) return t`thought for ${duration(Math.max(1000, row.thoughtMs))}`;
  return row.streaming && !speaks ? t`thinking…` : t`thoughts`;
}

type FailureProps = { item: FailureItem; actions: RowActions; canResume: boolean };

function Failure({ item, actions, canResume }: FailureProps) {
  return (
    <ErrorNote error={item}>
      <KeyButton code={item.code} provider={item.provider} onKey={actions.onKey} />
      {actions.onResume && canResume && (
        <Button small title={t`Resume from where it failed`} command="resume" onClick={actions.onResume}>
          {t`Resume`}
        </Button>
      )}
      {isSettingsCode(item.code) && (
        <Button small onClick={actions.onSettings}>
          {t`Open settings`}
        </Button>
      )}
    </ErrorNote>
  );
}
