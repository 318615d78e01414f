import { describe, expect, it } from "vitest";
import type { PipelineRunEntry } from "../../protocol/generated";
import { columnsOf, mostColumns, sumsOf } from "./past";

const run = (runId: string, more: Partial<PipelineRunEntry> = {}): PipelineRunEntry => ({
  runId,
  sessionId: `s ${runId}`,
  name: "check",
  state: "done",
  startedAt: 1000,
  endedAt: 3000,
  schedule: null,
  ...more,
});

describe("the runs of a pipeline", () => {
  it("are columns once they have ended, the oldest first", () => {
    const runs = [
      run("working", { state: "running", endedAt: null }),
      run("new", { endedAt: 6000, state: "failed" }),
      run("old"),
    ];
    expect(columnsOf(runs)).toEqual([
      { runId: "old", durationMs: 2000, outcome: "done" },
      { runId: "new", durationMs: 5000, outcome: "failed" },
    ]);
  });

  it("are the last ones where there are many", () => {
    const columns = columnsOf(Array.from({ length: mostColumns + 5 }, (_, n) => run(`${n}`)));
    expect([columns.length, columns.at(-1)?.runId]).toEqual([mostColumns, "0"]);
  });

  it("count those that were stopped for nothing", () => {
    const runs = [
      run("a", { endedAt: 2000 }),
      run("b", { state: "failed" }),
      run("c", { state: "cancelled" }),
      run("d", { endedAt: 9000 }),
      run("e", { endedAt: 4000 }),
    ];
    expect(sumsOf(columnsOf(runs))).toEqual({ ended: 4, done: 3, medianMs: 3000 });
    expect(sumsOf([])).toEqual({ ended: 0, done: 0, medianMs: null });
  });
});
