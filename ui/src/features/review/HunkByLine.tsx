/** One hunk line by line: changed lines are taken or left, and each line can have a comment. */
import { plural, t } from "@lingui/core/macro";
import { MessageSquarePlus } from "lucide-react";
import {
  Fragment,
  type KeyboardEvent,
  memo,
  useCallback,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from "react";
import { Button } from "../../components/Button";
import type { Span } from "../../components/code/highlight";
import { digits, firstLines, LineText, useLineSpans } from "../../components/diff/HunkLines";
import type { DiffHunk } from "../../components/diff/parse";
import { type MarkedLine, markLines } from "../../components/diff/rows";
import { IconButton } from "../../components/IconButton";
import { useLatest } from "../../components/latest";
import { composes, matches } from "../../components/shortcuts";
import { CommentBox, commentLabel } from "./CommentBox";
import type { LineComment } from "./comments";
import type { Selection } from "./decisions";
import { lineKey } from "./keys";
import { canChooseLines, changedRows, endsLastLine, selectionOf } from "./lines";
import type { ReviewActions } from "./useReview";

type Props = {
  hunk: DiffHunk;
  path: string;
  canSelect: boolean;
  selection: Selection | undefined;
  comments: readonly LineComment[];
  actions: ReviewActions;
  /** Whether a comment is begun: on the first added line, or on the first removed one where none is added. */
  startCommenting: boolean;
  onCancel: () => void;
};

export function HunkByLine(props: Props) {
  const { hunk, path, canSelect, selection, comments, actions, startCommenting, onCancel } = props;
  const root = useRef<HTMLDivElement>(null);
  const changed = useMemo(() => changedRows(hunk), [hunk]);
  const lines = useMemo(() => markLines(hunk), [hunk]);
  const spansOf = useLineSpans(hunk, path);
  const canChoose = useMemo(() => canSelect && canChooseLines(hunk), [canSelect, hunk]);
  const off = useMemo(() => new Set(selection?.off), [selection]);
  const [start] = useState(() => {
    const added = startCommenting ? changed.find((row) => lines[row]?.kind === "added") : undefined;
    return added ?? changed[0] ?? 0;
  });
  const [current, setCurrent] = useState(start);
  const [commenting, setCommenting] = useState(startCommenting ? start : null);
  const [whole, setWhole] = useState(start >= firstLines);
  const shown = whole ? lines : lines.slice(0, firstLines);
  const taken = changed.length - off.size;

  const first = useRef(startCommenting ? null : current);
  useEffect(() => {
    // The box of a comment takes the focus itself.
    if (first.current !== null) rowAt(root.current, first.current)?.focus();
  }, []);
  const go = (row: number) => {
    const next = Math.min(shown.length - 1, Math.max(0, row));
    setCurrent(next);
    rowAt(root.current, next)?.focus();
  };
  const toggle = (row: number) => {
    const next = new Set(off);
    if (!next.delete(row)) next.add(row);
    actions.select(hunk.index, selectionOf(hunk, next));
  };
  const latestToggle = useLatest(toggle);
  const onToggle = useCallback((row: number) => latestToggle.current(row), [latestToggle]);
  const accept = () => {
    if (!canChoose || taken > 0) actions.decide([hunk.index], "accepted");
  };
  const acceptWords = canChoose ? t`Accept selected lines` : t`Accept hunk`;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target instanceof HTMLTextAreaElement || composes(event.nativeEvent)) return;
    const key = matches(event, "Mod+Enter") ? "accept" : lineKey(event);
    if (key === null) return;
    // Letters that decide the hunk are not heard from in here.
    event.stopPropagation();
    if (key === "other") return;
    event.preventDefault();
    if (key === "next") go(current + 1);
    else if (key === "previous") go(current - 1);
    else if (key === "comment") setCommenting(current);
    else if (key === "accept") accept();
    else onCancel();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: arrow keys, heard from the rows inside
    <div className="by-line" ref={root} onKeyDown={onKeyDown}>
      <div className="diff diff-unified" dir="ltr" style={digits(hunk)}>
        {shown.map((line, row) => {
          const at = { hunk: hunk.index, row, path, ...placeOf(line) };
          return (
            <Fragment key={`${row}`}>
              <Row
                line={line}
                row={row}
                spans={spansOf(line)}
                isCurrent={row === current}
                isOff={off.has(row)}
                canChoose={canChoose}
                onFocus={setCurrent}
                onToggle={onToggle}
                onComment={setCommenting}
              />
              {commenting === row && (
                <CommentBox
                  at={at}
                  comments={comments}
                  actions={actions}
                  onDone={() => {
                    setCommenting(null);
                    go(row);
                  }}
                />
              )}
            </Fragment>
          );
        })}
        {shown.length < lines.length && (
          <Button small look="quiet" onClick={() => setWhole(true)}>
            {t`Show ${plural(lines.length - shown.length, { one: "# more line", other: "# more lines" })}`}
          </Button>
        )}
      </div>
      <div className="own-text-foot">
        <span className="secondary small grow" role="status">
          {canChoose
            ? endsLastLine(hunk, off)
              ? t`The last line will end with a newline.`
              : selectedWords(taken, changed.length)
            : changed.length > 1 && t`The lines of this hunk can only be accepted together.`}
        </span>
        <Button small look="quiet" title={t`Close (Esc)`} onClick={onCancel}>
          {t`Close`}
        </Button>
        <Button
          small
          title={acceptWords}
          shortcut="Mod+Enter"
          disabled={canChoose && taken === 0}
          onClick={accept}
        >
          {acceptWords}
        </Button>
      </div>
    </div>
  );
}

export function selectedWords(taken: number, changed: number): string {
  return t`${taken} of ${plural(changed, { one: "# changed line", other: "# changed lines" })} selected`;
}

const placeOf = (line: MarkedLine) => ({
  line: line.newNumber ?? line.oldNumber ?? 0,
  removed: line.kind === "removed",
});

const rowAt = (root: HTMLElement | null, row: number) =>
  root?.querySelector<HTMLElement>(`[data-row="${row}"]`) ?? null;

type RowProps = {
  line: MarkedLine;
  row: number;
  spans: Span[] | null;
  isCurrent: boolean;
  isOff: boolean;
  canChoose: boolean;
  onFocus: (row: number) => void;
  onToggle: (row: number) => void;
  onComment: (row: number) => void;
};

/** The check box, or the button where there is none, has the focus for the row. Memoised: a hunk can be long. */
const Row = memo(function Row(props: RowProps) {
  const { line, row, spans, isCurrent, isOff, canChoose, onToggle, onComment } = props;
  const text = useId();
  const number = line.newNumber ?? line.oldNumber ?? 0;
  const hasBox = canChoose && line.kind !== "context";
  const tabIndex = isCurrent ? 0 : -1;
  const onFocus = () => props.onFocus(row);
  return (
    <div className={`diff-row ${line.kind} ${isOff ? "off" : ""}`}>
      <span className="line-box">
        {hasBox && (
          <input
            type="checkbox"
            checked={!isOff}
            onChange={() => onToggle(row)}
            onFocus={onFocus}
            tabIndex={tabIndex}
            data-row={row}
            aria-label={line.kind === "added" ? t`Added line ${number}` : t`Removed line ${number}`}
            aria-describedby={text}
          />
        )}
      </span>
      <span className="diff-number">{line.oldNumber}</span>
      <span className="diff-number">{line.newNumber}</span>
      <LineText line={line} spans={spans} id={text} />
      <IconButton
        className="line-comment"
        label={commentLabel(placeOf(line))}
        shortcut="C"
        icon={MessageSquarePlus}
        tabIndex={tabIndex}
        data-row={hasBox ? undefined : row}
        aria-describedby={text}
        onFocus={onFocus}
        onClick={() => onComment(row)}
      />
    </div>
  );
});
