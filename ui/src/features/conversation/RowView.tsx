import { memo } from "react";
import { Button } from "../../components/Button";
import { ErrorNote } from "../../components/ErrorNote";
import { clock, duration, exactTime } from "../../components/format";
import { Markdown } from "../../components/markdown/Markdown";
import type { AssistantItem, FailureItem } from "../../protocol/transcript";
import type { Row } from "./rows";
import { ToolCard } from "./ToolCard";

export type RowActions = {
  onLink: (url: string) => void;
  onReview: () => void;
  onTryAgain: () => void;
  onSettings: () => void;
  /** Only the last failure of a session offers to try again. */
  canTryAgain: (key: string) => boolean;
};

export const RowView = memo(
  function RowView({ row, actions }: { row: Row; actions: RowActions }) {
    return (
      <div className={`row row-${row.item.kind}`}>
        {row.speaker && (
          <p className="speaker">
            {row.item.kind === "user" ? "You" : "Arki"}
            {Number.isFinite(row.item.seq) && (
              <span className="speaker-time small secondary" title={exactTime(row.item.ts)}>
                {clock(row.item.ts).slice(0, 5)}
              </span>
            )}
          </p>
        )}
        <Body row={row} actions={actions} />
      </div>
    );
  },
  (a, b) =>
    a.row.item === b.row.item &&
    a.actions === b.actions &&
    a.row.speaker === b.row.speaker &&
    a.row.output === b.row.output &&
    a.row.thoughtMs === b.row.thoughtMs,
);

function Body({ row, actions }: { row: Row; actions: RowActions }) {
  const { item } = row;
  switch (item.kind) {
    case "user":
      return (
        <p className="user-text" dir="auto">
          {item.text}
        </p>
      );
    case "assistant":
      return <Answer item={item} row={row} onLink={actions.onLink} />;
    case "tool":
      return <ToolCard item={item} output={row.output} onReview={actions.onReview} />;
    case "failure":
      return <Failure item={item} actions={actions} />;
    case "notice":
      return <p className={`notice small ${item.tone}`}>{item.text}</p>;
  }
}

function Answer({ item, row, onLink }: { item: AssistantItem; row: Row; onLink: (url: string) => void }) {
  return (
    <div aria-busy={row.streaming || undefined}>
      {item.thoughts && (
        <details className="thoughts">
          <summary className="small">{thoughtWords(item, row)}</summary>
          <p dir="auto">{item.thoughts}</p>
        </details>
      )}
      {item.text && <Markdown text={item.text} onLink={onLink} streaming={row.streaming} />}
      {item.interrupted && (
        <p className="notice small attention">! Cut off here: the answer was interrupted.</p>
      )}
    </div>
  );
}

function thoughtWords(item: AssistantItem, row: Row): string {
  if (row.thoughtMs !== null) return `thought for ${duration(Math.max(1000, row.thoughtMs))}`;
  return row.streaming && item.text === "" ? "thinking…" : "thoughts";
}

/** Failures whose remedy is in the settings: a missing key, an unknown provider or model. */
const settingsCode = /KEY|PROVIDER|MODEL|AUTH|CONFIG/;

function Failure({ item, actions }: { item: FailureItem; actions: RowActions }) {
  return (
    <ErrorNote error={item}>
      {actions.canTryAgain(item.key) && (
        <Button small onClick={actions.onTryAgain}>
          Try again
        </Button>
      )}
      {settingsCode.test(item.code) && (
        <Button small onClick={actions.onSettings}>
          Open settings
        </Button>
      )}
    </ErrorNote>
  );
}
