/** The runs of pipelines, the newest first, and their durations and outcomes over time. */
import { plural, t } from "@lingui/core/macro";
import { useEffect, useMemo, useRef, useState } from "react";
import { ErrorNote } from "../../components/ErrorNote";
import { FieldRow } from "../../components/form/Fields";
import { duration, exactTime, folderName, rounded, shortTime } from "../../components/format";
import { ShowMore } from "../../components/ShowMore";
import { StateGlyph, stateWords } from "../../components/StateGlyph";
import { useSessions } from "../../platform/context";
import type { PipelineRunEntry } from "../../protocol/generated";
import { type Column, columnsOf, durationOf, sumsOf } from "./past";
import type { Asked } from "./useAsked";
import type { RunPlace } from "./useRun";

type Props = {
  /** Runs in others say so. */
  folder: string | null;
  runs: Asked<"list_pipeline_runs">;
  /** The run that the user comes back from. */
  seen: string | null;
  onRun: (run: RunPlace) => void;
};

const firstRows = 50;

export function Runs({ folder, runs: { answer: runs, error, ask }, seen, onRun }: Props) {
  const [name, setName] = useState("");
  const names = useMemo(() => [...new Set(runs?.map((run) => run.name))].sort(), [runs]);
  const shown = useMemo(() => runs?.filter((run) => name === "" || run.name === name) ?? [], [runs, name]);
  return (
    <>
      {error && <ErrorNote error={error} onAgain={ask} />}
      {runs === null && !error && <p className="secondary">{t`Reading the runs…`}</p>}
      {runs?.length === 0 && (
        <p className="secondary">{t`No runs yet. Start a pipeline in the first tab.`}</p>
      )}
      {runs !== null && runs.length > 0 && (
        <>
          {names.length > 1 && (
            <FieldRow
              field={{
                key: "pipeline",
                label: t`Pipeline`,
                kind: "choice",
                choices: [["", t`All pipelines`], ...names],
              }}
              value={name}
              onChange={setName}
            />
          )}
          <Past runs={shown} />
          <Table key={name} folder={folder} runs={shown} seen={seen} onRun={onRun} />
        </>
      )}
    </>
  );
}

function Past({ runs }: { runs: readonly PipelineRunEntry[] }) {
  const columns = useMemo(() => columnsOf(runs), [runs]);
  const { ended, done, medianMs } = sumsOf(columns);
  if (columns.length === 0) return null;
  const share = rounded((100 * done) / Math.max(1, ended), 0);
  const starts = new Map(runs.map((run) => [run.runId, run.startedAt]));
  return (
    <>
      <p>
        {plural(ended, {
          one: `${done} of the last # run succeeded (${share} %)`,
          other: `${done} of the last # runs succeeded (${share} %)`,
        })}
        {medianMs !== null && ` · ${t`usually ${duration(medianMs)}`}`}
      </p>
      <Plot columns={columns} startedAt={(runId) => starts.get(runId) ?? 0} />
    </>
  );
}

type TableProps = Omit<Props, "runs"> & { runs: readonly PipelineRunEntry[] };

function Table({ folder, runs, seen, onRun }: TableProps) {
  const sessions = useSessions();
  const folders = useMemo(() => new Map(sessions.map((one) => [one.sessionId, one.project])), [sessions]);
  const elsewhere = (run: PipelineRunEntry) => {
    const place = folders.get(run.sessionId);
    return place === undefined || place === folder ? null : place;
  };
  const [count, setCount] = useState(firstRows);
  const back = useRef<HTMLButtonElement>(null);
  useEffect(() => back.current?.focus(), []);
  return (
    <>
      <table className="runs" aria-label={t`Runs`}>
        <thead>
          <tr>
            <th scope="col">{t`Pipeline`}</th>
            <th scope="col">{t`State`}</th>
            <th scope="col">{t`Started`}</th>
            <th scope="col" className="number">
              {t`Duration`}
            </th>
          </tr>
        </thead>
        <tbody>
          {runs.slice(0, count).map((run) => (
            <tr key={run.runId}>
              <th scope="row">
                <button
                  ref={run.runId === seen ? back : undefined}
                  type="button"
                  className="link"
                  onClick={() => onRun(run)}
                >
                  {run.name}
                </button>
                <Elsewhere folder={elsewhere(run)} />
                {run.schedule !== null && (
                  <span className="small secondary"> {t`schedule ${run.schedule}`}</span>
                )}
              </th>
              <td>
                <StateGlyph state={run.state} /> {stateWords(run.state)}
              </td>
              <td title={exactTime(run.startedAt)}>{shortTime(run.startedAt)}</td>
              <td className="number">{durationWords(run)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {runs.length > count && (
        <ShowMore hidden={runs.length - count} what="rows" onMore={() => setCount(count * 2)} />
      )}
    </>
  );
}

function Elsewhere({ folder }: { folder: string | null }) {
  if (folder === null) return null;
  return (
    <span className="small secondary" title={folder}>
      {" "}
      {t`in ${folderName(folder)}`}
    </span>
  );
}

function durationWords(run: PipelineRunEntry): string {
  const ms = durationOf(run);
  return ms === null ? "" : duration(ms);
}

type PlotProps = { columns: readonly Column[]; startedAt: (runId: string) => number };

const signs: Readonly<Record<Column["outcome"], string>> = { done: "", failed: "✕", cancelled: "–" };

/** A column for each run, as high as it took long. The table below has the same, which is what screen readers read. */
function Plot({ columns, startedAt }: PlotProps) {
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
