/** "Who wrote this": a file as it is now, each line beside who brought it; and one change of the agent to take back. */
import { t } from "@lingui/core/macro";
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import { VList, type VListHandle } from "virtua";
import { Button } from "../../components/Button";
import type { Span } from "../../components/code/highlight";
import { useHighlight } from "../../components/code/useHighlight";
import { VisibleText } from "../../components/code/VisibleText";
import { Dialog } from "../../components/Dialog";
import { ErrorNote } from "../../components/ErrorNote";
import { exactTime } from "../../components/format";
import { useAnswer } from "../../components/useAnswer";
import { useSessionPart, useSessions } from "../../platform/context";
import type { LineOrigin } from "../../protocol/generated";
import { originRuns, whoWrote } from "./lines";
import "./history.css";

type Props = {
  sessionId: string;
  path: string;
  onClose: () => void;
  onTakeBack: (line: LineOrigin) => void;
  onShow: (sessionId: string, seq: number) => void;
};

export function LinesDialog({ sessionId, path, onClose, onTakeBack, onShow }: Props) {
  const { answer: lines, error } = useAnswer("line_origins", { sessionId, path });
  return (
    <Dialog title={t`Who wrote this`} open onClose={onClose} wide>
      <p className="mono history-lead">
        <VisibleText text={path} />
      </p>
      {error && <ErrorNote error={error} />}
      {lines === null && !error && <p className="secondary">{t`Loading…`}</p>}
      {lines && lines.length === 0 && <p className="secondary">{t`The file is empty or was deleted.`}</p>}
      {lines && lines.length > 0 && (
        <Lines sessionId={sessionId} path={path} lines={lines} onTakeBack={onTakeBack} onShow={onShow} />
      )}
    </Dialog>
  );
}

type LinesProps = Omit<Props, "onClose"> & { lines: LineOrigin[] };

function Lines({ sessionId, path, lines, onTakeBack, onShow }: LinesProps) {
  const runs = useMemo(() => originRuns(lines), [lines]);
  const starts = useMemo(() => new Set(runs.map((run) => run.first)), [runs]);
  const spans = useHighlight(
    useMemo(() => lines.map((line) => line.text).join("\n"), [lines]),
    path,
  );
  const [at, setAt] = useState(() => runs.find((run) => run.origin.author === "arki")?.first ?? 0);
  const list = useRef<VListHandle>(null);
  const box = useRef<HTMLDivElement>(null);
  const ids = useId();
  const selected = lines[at];
  const go = (next: number) => {
    const to = Math.min(lines.length - 1, Math.max(0, next));
    setAt(to);
    list.current?.scrollToIndex(to, { align: "nearest" });
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, where the first line of the agent may lie far down
  useEffect(() => {
    box.current?.querySelector<HTMLElement>("[role=listbox]")?.focus();
    void list.current?.scrollToIndex(at, { align: "center" });
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    const to = moveTo(event.key, at, lines.length, runs);
    if (to === null || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    go(to);
  };
  return (
    <>
      <div
        ref={box}
        className="lines"
        dir="ltr"
        style={{ height: `calc(var(--leading-code) * ${lines.length + 2})` }}
      >
        {/* What scrolls is what has the focus. */}
        <VList
          ref={list}
          keepMounted={[at]}
          className="lines-list"
          role="listbox"
          aria-label={t`Lines and who wrote them`}
          aria-activedescendant={`${ids}${at}`}
          tabIndex={0}
          onKeyDown={onKeyDown}
        >
          {lines.map((line, place) => {
            const who = whoWrote(line);
            return (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the list hears the keys
              // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus and names the active line
              <div
                key={line.number}
                id={`${ids}${place}`}
                role="option"
                aria-selected={place === at}
                className={`origin-line ${line.author} ${place > 0 && starts.has(place) ? "starts" : ""}`}
                title={who}
                onClick={() => setAt(place)}
              >
                <span className="origin-who small cut">
                  {starts.has(place) ? who : <span className="sr-only">{who}</span>}
                </span>
                <span className="diff-number">
                  <span className="sr-only">{t`line `}</span>
                  {line.number}
                </span>
                <code className="diff-text">
                  {spans?.[place] ? (
                    placed(spans[place]).map((span) => (
                      <span key={span.offset} style={span.color ? { color: span.color } : undefined}>
                        <VisibleText text={span.text} line={line.text} offset={span.offset} />
                      </span>
                    ))
                  ) : (
                    <VisibleText text={line.text} />
                  )}
                </code>
              </div>
            );
          })}
        </VList>
      </div>
      {selected && (
        <LineDetails sessionId={sessionId} line={selected} onTakeBack={onTakeBack} onShow={onShow} />
      )}
    </>
  );
}

type DetailsProps = Pick<Props, "sessionId" | "onTakeBack" | "onShow"> & { line: LineOrigin };

/** What is known of the selected line, and what can be done about the change that brought it. */
function LineDetails({ sessionId, line, onTakeBack, onShow }: DetailsProps) {
  const decided = useSessionPart(sessionId, (view) => view.decided.decided);
  const sessions = useSessions();
  const { seq } = line;
  const of = line.sessionId ?? sessionId;
  const approval = decided.find((one) => one.approvalId === line.approvalId);
  const other = of === sessionId ? null : sessions.find((one) => one.sessionId === of);
  return (
    <div className="line-details">
      <p className="grow" aria-live="polite">
        <span className="secondary">{t`Line ${line.number}: `}</span>
        {line.author === "before" && t`was there before this session.`}
        {line.author === "user" && t`you wrote it outside Arki.`}
        {line.author === "arki" && (
          <>
            {whoWrote(line)}
            {line.toolId && (
              <>
                <span className="secondary"> · </span>
                <code>{line.toolId}</code>
              </>
            )}
            <span className="secondary">
              {line.approvalId ? t` · approved ${approvedWords(approval)}` : t` · no approval needed`}
              {line.ts !== null && ` · ${exactTime(line.ts)}`}
              {other && t` · in “${other.title}”`}
            </span>
          </>
        )}
      </p>
      {line.author === "arki" && seq !== null && (
        <>
          <Button small look="quiet" onClick={() => onShow(of, seq)}>
            {t`Show in transcript`}
          </Button>
          <Button small onClick={() => onTakeBack(line)}>
            {t`Revert this change`}
          </Button>
        </>
      )}
    </div>
  );
}

function approvedWords(approval: { resolvedBy: string; reason: string } | undefined): string {
  if (!approval) return "";
  const by =
    approval.resolvedBy === "user" || approval.resolvedBy === "window"
      ? t`by you`
      : t`by ${approval.resolvedBy}`;
  return approval.reason ? t`${by}: “${approval.reason}”` : by;
}

/** Where in its line each span begins: a space is trailing only at the line's end. */
function placed(spans: readonly Span[]): (Span & { offset: number })[] {
  let offset = 0;
  return spans.map((span) => {
    const at = offset;
    offset += span.text.length;
    return { ...span, offset: at };
  });
}

const pageLines = 20;

/** Arrows and page keys by line, j and k to the next and the previous change. */
function moveTo(key: string, at: number, count: number, runs: readonly { first: number }[]): number | null {
  if (key === "j") return runs.find((run) => run.first > at)?.first ?? at;
  if (key === "k") return runs.findLast((run) => run.first < at)?.first ?? at;
  const moves: Readonly<Record<string, number>> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    PageDown: at + pageLines,
    PageUp: at - pageLines,
    Home: 0,
    End: count - 1,
  };
  return moves[key] ?? null;
}
