/** Sums over the runs of pipelines. Pure. */
import type { PipelineRunEntry } from "../../protocol/generated";

/** What a run came to, for its column of the plot. */
export type Column = { runId: string; durationMs: number; outcome: "done" | "failed" | "cancelled" };

/** More columns than this are too thin to be told apart. */
export const mostColumns = 60;

export const durationOf = ({ startedAt, endedAt }: PipelineRunEntry): number | null =>
  endedAt === null ? null : Math.max(0, endedAt - startedAt);

/** The last ones that have ended, the oldest first. */
export function columnsOf(runs: readonly PipelineRunEntry[]): Column[] {
  const ended = runs.flatMap((run): Column[] => {
    const durationMs = durationOf(run);
    const { runId, state } = run;
    const isOver = state === "done" || state === "failed" || state === "cancelled";
    return durationMs === null || !isOver ? [] : [{ runId, durationMs, outcome: state }];
  });
  return ended.slice(0, mostColumns).reverse();
}

export type Sums = { ended: number; done: number; medianMs: number | null };

/** Of runs that somebody stopped nobody knows how they would have ended. */
export function sumsOf(columns: readonly Column[]): Sums {
  const counted = columns.filter(({ outcome }) => outcome !== "cancelled");
  const done = counted.filter(({ outcome }) => outcome === "done");
  const times = done.map(({ durationMs }) => durationMs).sort((a, b) => a - b);
  return { ended: counted.length, done: done.length, medianMs: times[Math.floor(times.length / 2)] ?? null };
}
