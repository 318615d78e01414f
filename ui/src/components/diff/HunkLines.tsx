/**
 * The lines of one hunk, unified or side by side. No line is cut and no character hides; what isn't shown (the rest of a
 * long hunk, changes of whitespace where the user hides those) is said in words.
 */
import { plural, t } from "@lingui/core/macro";
import { type CSSProperties, useMemo, useState } from "react";
import { Button } from "../Button";
import type { Span } from "../code/highlight";
import { useHighlight } from "../code/useHighlight";
import { VisibleText } from "../code/VisibleText";
import type { DiffHunk, DiffLine } from "./parse";
import { type MarkedLine, markLines, parts, sideTexts, splitRows } from "./rows";
import { hasChanges, hiddenLines, withoutWhitespaceChanges } from "./whitespace";
import "./diff.css";

export type DiffLook = { layout: "unified" | "split"; whitespace: "shown" | "hidden" };

/** Where there is nothing to choose. */
export const plainLook: DiffLook = { layout: "unified", whitespace: "shown" };

/** A hunk longer than this is shown in part first; the rest is one press away. */
export const firstLines = 400;

export function HunkLines({ hunk: exact, path, look }: { hunk: DiffHunk; path: string; look: DiffLook }) {
  const [whole, setWhole] = useState(false);
  const hides = look.whitespace === "hidden";
  const hunk = useMemo(() => (hides ? withoutWhitespaceChanges(exact) : exact), [exact, hides]);
  const lines = useMemo(() => markLines(hunk), [hunk]);
  const spansOf = useLineSpans(hunk, path);
  const shown = whole ? lines : lines.slice(0, firstLines);
  const hidden = lines.length - shown.length;
  const unmarked = hiddenLines(exact, hunk);
  if (hides && hasChanges(exact) && !hasChanges(hunk))
    return <p className="diff-note secondary small">{t`Only whitespace changes.`}</p>;
  return (
    <>
      <div
        className={`diff diff-${look.layout} ${hunk.lines.some(hasBox) ? "diff-boxes" : ""}`}
        dir="ltr"
        style={digits(hunk)}
      >
        {look.layout === "unified"
          ? shown.map((line, row) => <UnifiedRow key={`${row}`} line={line} spans={spansOf(line)} />)
          : splitRows(shown).map((row, at) => (
              <div className="diff-row" key={`${at}`}>
                <Side
                  line={row.left}
                  number={row.left?.oldNumber ?? null}
                  spans={row.left && spansOf(row.left)}
                />
                <Side
                  line={row.right}
                  number={row.right?.newNumber ?? null}
                  spans={row.right && spansOf(row.right)}
                />
              </div>
            ))}
        {hidden > 0 && (
          <Button small look="quiet" onClick={() => setWhole(true)}>
            {t`Show ${plural(hidden, { one: "# more line", other: "# more lines" })}`}
          </Button>
        )}
      </div>
      {unmarked > 0 && (
        <p className="diff-note secondary small">
          {plural(unmarked, {
            one: "# line with only whitespace changes isn't marked.",
            other: "# lines with only whitespace changes aren't marked.",
          })}
        </p>
      )}
    </>
  );
}

/** The colours of each line, once they are known. */
export function useLineSpans(hunk: DiffHunk, path: string): (line: MarkedLine) => Span[] | null {
  const sides = useMemo(() => sideTexts(hunk), [hunk]);
  const before = useHighlight(sides.before, path);
  const after = useHighlight(sides.after, path);
  return (line) =>
    line.kind === "removed" || line.newNumber === null
      ? (before?.[(line.oldNumber ?? 0) - hunk.oldStart] ?? null)
      : (after?.[(line.newNumber ?? 0) - hunk.newStart] ?? null);
}

const hasBox = (line: DiffLine) => line.isTaken !== undefined && line.kind !== "context";

/** An empty one stands at a line that is left out. */
function Box({ line }: { line: DiffLine }) {
  if (!hasBox(line)) return null;
  return (
    <span className="diff-box" role="img" aria-label={line.isTaken ? t`selected` : t`left out`}>
      {line.isTaken ? "☑" : "☐"}
    </span>
  );
}

const offClass = (line: DiffLine) => (line.isTaken === false ? " off" : "");

const signs = { context: " ", added: "+", removed: "−" } as const;

function UnifiedRow({ line, spans }: { line: MarkedLine; spans: Span[] | null }) {
  return (
    <div className={`diff-row ${line.kind}${offClass(line)}`}>
      <Box line={line} />
      <span className="diff-number">{line.oldNumber}</span>
      <span className="diff-number">{line.newNumber}</span>
      <LineText line={line} spans={spans} />
    </div>
  );
}

type SideProps = { line: MarkedLine | null; number: number | null; spans: Span[] | null };

function Side({ line, number, spans }: SideProps) {
  if (line === null) return <div className="diff-side nothing" />;
  return (
    <div className={`diff-side ${line.kind}${offClass(line)}`}>
      <Box line={line} />
      <span className="diff-number">{number}</span>
      <LineText line={line} spans={spans} />
    </div>
  );
}

type TextProps = { line: MarkedLine; spans: Span[] | null; id?: string };

export function LineText({ line, spans, id }: TextProps) {
  return (
    <>
      <span className="diff-sign">{signs[line.kind]}</span>
      <code className="diff-text" id={id}>
        {parts(line, spans).map((part) => (
          <span
            key={part.offset}
            className={part.changed ? "changed" : undefined}
            style={part.color ? { color: part.color } : undefined}
          >
            <VisibleText text={part.text} line={line.text} offset={part.offset} />
          </span>
        ))}
        {line.noNewline && <span className="boxed">{t`no newline at end`}</span>}
      </code>
    </>
  );
}

/** Most files are shorter than a thousand lines: their hunks line up. */
const leastDigits = 3;

/** The gutters are as wide as the hunk's largest line number. */
export function digits(hunk: DiffHunk): CSSProperties {
  const largest = Math.max(hunk.oldStart + hunk.oldLines, hunk.newStart + hunk.newLines);
  return { "--digits": `${Math.max(leastDigits, `${largest}`.length) + 2}ch` } as CSSProperties;
}
