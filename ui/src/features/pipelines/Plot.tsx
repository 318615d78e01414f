import { t } from "@lingui/core/macro";
import { duration, exactTime, shortTime } from "../../components/format";
import { stateWords } from "../../components/StateGlyph";
import type { Column } from "./past";

type Props = { columns: readonly Column[]; startedAt: (runId: string) => number };

const signs: Readonly<Record<Column["outcome"], string>> = { done: "", failed: "✕", cancelled: "–" };

/** A column for each run, as high as it took long. The table below has the same, which is what screen readers read. */
export function Plot({ columns, startedAt }: Props) {
  const most = Math.max(1, ...columns.map(({ durationMs }) => durationMs));
  const [first, last] = [columns[0], columns.at(-1)];
  return (
    <div className="runs-plot" style={{ "--count": columns.length } as object} aria-hidden>
      <div className="runs-scale small secondary">{duration(most)}</div>
      <div className="runs-columns">
        {columns.map(({ runId, durationMs, outcome }) => (
          <div
            key={runId}
            className="runs-column"
            title={`${exactTime(startedAt(runId))}: ${stateWords(outcome)}, ${duration(durationMs)}`}
          >
            {signs[outcome] !== "" && (
              <span className={`small runs-sign runs-${outcome}`}>{signs[outcome]}</span>
            )}
            <span
              className={`runs-piece runs-${outcome}`}
              style={{ height: `${(100 * durationMs) / most}%` }}
            />
          </div>
        ))}
      </div>
      <div className="runs-axis small secondary">
        <span>{first && shortTime(startedAt(first.runId))}</span>
        <span>{t`✕ failed, – stopped`}</span>
        <span>{last && shortTime(startedAt(last.runId))}</span>
      </div>
    </div>
  );
}
