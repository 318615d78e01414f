/** Figures of what was used: a table, and a plot by days. */
import { t } from "@lingui/core/macro";
import { type ReactNode, useId, useState } from "react";
import { Button } from "../../components/Button";
import { exact } from "../../components/format";
import { type Group, isUnknown, type Measure, measured, type Sum, type Totals } from "./report";
import { costFigure, dayWords, tokenFigure } from "./words";

type Props = {
  title: string;
  /** The head of the first column. */
  first: string;
  groups: readonly Group[];
  measure: Measure;
  words: (key: string) => string;
  /** More about the key, below it. */
  place?: (key: string) => string;
  /** Above the figures; without one, each row has a bar. */
  plot?: ReactNode;
};

/** More than anyone reads at once. */
const firstRows = 7;

/** The figures and their plot. */
export function UsageTable({ title, first, groups, measure, words, place, plot }: Props) {
  const heading = useId();
  const [all, setAll] = useState(false);
  const most = Math.max(...groups.map(({ totals }) => measured(totals, measure).known));
  const rest = groups.length - firstRows;
  return (
    <section className="usage-section">
      <h3 id={heading}>{title}</h3>
      {plot}
      <table className="usage-table" aria-labelledby={heading}>
        <thead>
          <tr>
            <th scope="col">{first}</th>
            <th scope="col" className="number">{t`Requests`}</th>
            <th scope="col" className="number">{t`In`}</th>
            <th scope="col" className="number">{t`Cached`}</th>
            <th scope="col" className="number">{t`Out`}</th>
            <th scope="col" className="number">{t`Cost`}</th>
          </tr>
        </thead>
        <tbody>
          {groups.slice(0, all ? groups.length : firstRows).map(({ key, totals }) => (
            <tr key={key}>
              <th scope="row" title={place ? key : undefined}>
                <span className="usage-name">{words(key)}</span>
                {place && <span className="usage-place small secondary">{place(key)}</span>}
                {plot === undefined && <Bar pieces={piecesOf(totals, measure).reverse()} most={most} />}
              </th>
              <td className="number">{exact(totals.requests)}</td>
              <Cell {...tokenFigure(totals.input)} />
              <Cell {...tokenFigure(totals.cached)} />
              <Cell {...tokenFigure(totals.output)} />
              <Cell {...costFigure(totals.cost)} {...(isUnknown(totals.cost) && { words: "" })} />
            </tr>
          ))}
        </tbody>
      </table>
      {rest > 0 && (
        <Button small look="quiet" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? t`Show fewer` : t`Show ${rest} more`}
        </Button>
      )}
    </section>
  );
}

function Bar({ pieces, most }: { pieces: [piece: string, size: number][]; most: number }) {
  return (
    <span className="usage-line" aria-hidden>
      {pieces.map(([piece, size]) => (
        <span
          key={piece}
          className={`usage-piece usage-${piece}`}
          style={{ width: `${most === 0 ? 0 : (100 * size) / most}%` }}
        />
      ))}
    </span>
  );
}

function Cell({ words, exact }: { words: string; exact: string }) {
  return (
    <td className="number" title={exact}>
      {words}
    </td>
  );
}

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
function piecesOf(totals: Totals, measure: Measure): [piece: string, size: number][] {
  if (measure === "cost") return totals.cost.known > 0 ? [["cost", totals.cost.known]] : [];
  const cached = Math.min(totals.cached.known, totals.input.known);
  const pieces: [string, number][] = [
    ["output", totals.output.known],
    ["input", totals.input.known - cached],
    ["cached", cached],
  ];
  return pieces.filter(([, size]) => size > 0);
}
