import { t } from "@lingui/core/macro";
import { type Group, type Measure, measured, type Sum, type Totals } from "./report";
import { costFigure, dayWords, tokenFigure } from "./words";

/** A column for each day. Its figures are in the table below, which is what screen readers read. */
export function Columns({ days, measure }: { days: readonly Group[]; measure: Measure }) {
  const sums = days.map(({ totals }) => measured(totals, measure));
  const most = Math.max(...sums.map(({ known }) => known));
  const hasUnknown = sums.some(({ partial }) => partial);
  // The highest column is as high as what is known of it.
  const scale = figureOf({ known: most, partial: most === 0 && hasUnknown }, measure);
  const middle = days[Math.floor(days.length / 2)];
  return (
    <div className="usage-plot" aria-hidden>
      <div className="usage-scale small secondary">{scale.words}</div>
      <div className={`usage-columns ${days.length > 40 ? "dense" : ""}`}>
        {days.map((day) => (
          <Column key={day.key} day={day} measure={measure} most={most} />
        ))}
      </div>
      <div className="usage-axis small secondary">
        <span>{dayWords(days[0]?.key ?? "", false)}</span>
        {days.length > 8 && middle && <span>{dayWords(middle.key, false)}</span>}
        <span>{dayWords(days.at(-1)?.key ?? "", false)}</span>
      </div>
      <div className="usage-legend small secondary">
        {measure === "tokens" && (
          <>
            <span className="usage-key usage-cached">{t`in, cached`}</span>
            <span className="usage-key usage-input">{t`in`}</span>
            <span className="usage-key usage-output">{t`out`}</span>
          </>
        )}
        {hasUnknown && <span>{t`? more than is known`}</span>}
      </div>
    </div>
  );
}

type ColumnProps = { day: Group; measure: Measure; most: number };

function Column({ day: { key, totals }, measure, most }: ColumnProps) {
  const value = measured(totals, measure);
  const figure = figureOf(value, measure);
  const day = dayWords(key, true);
  return (
    <div
      className="usage-column"
      title={totals.requests === 0 ? t`${day}: nothing used` : `${day}: ${figure.words}`}
    >
      {value.partial && <span className="usage-unknown">?</span>}
      {piecesOf(totals, measure).map(([piece, size]) => (
        <span
          key={piece}
          className={`usage-piece usage-${piece}`}
          style={{ height: `${most === 0 ? 0 : (100 * size) / most}%` }}
        />
      ))}
    </div>
  );
}

function figureOf(sum: Sum, measure: Measure) {
  return measure === "cost" ? costFigure(sum) : tokenFigure(sum);
}

/** From the top down, or from the end back. */
export function piecesOf(totals: Totals, measure: Measure): [piece: string, size: number][] {
  if (measure === "cost") return totals.cost.known > 0 ? [["cost", totals.cost.known]] : [];
  const cached = Math.min(totals.cached.known, totals.input.known);
  const pieces: [string, number][] = [
    ["output", totals.output.known],
    ["input", totals.input.known - cached],
    ["cached", cached],
  ];
  return pieces.filter(([, size]) => size > 0);
}
