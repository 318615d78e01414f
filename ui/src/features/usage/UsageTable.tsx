import { t } from "@lingui/core/macro";
import { type ReactNode, useId, useState } from "react";
import { Button } from "../../components/Button";
import { exact } from "../../components/format";
import { piecesOf } from "./Columns";
import { type Group, isUnknown, type Measure, measured } from "./report";
import { costFigure, tokenFigure } from "./words";

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
