import { describe, expect, it } from "vitest";
import type { Event } from "../../protocol/generated";
import { eventLog } from "../../testing/events";
import { type Asked, barsOf, layout, placeOf } from "./layout";
import { factsOf, timeOf } from "./span_words";

const nothing: ReadonlySet<string> = new Set();
const asked = (given: Partial<Asked> = {}): Asked => ({ edge: "over", toggled: nothing, ...given });
const lines = (events: readonly Event[], given: Partial<Asked> = {}) =>
  layout(events, asked(given)).rows.map(
    ({ span, level }) =>
      `${"  ".repeat(level - 1)}${span.kind} ${span.name} ${span.to - span.from} ${span.end}`,
  );
const row = (events: readonly Event[], kind: string, given: Partial<Asked> = {}) => {
  const found = layout(events, asked(given)).rows.find(({ span }) => span.kind === kind);
  if (!found) throw new Error(`no row of kind ${kind}`);
  return found.span;
};

const run = "run-s";
const hour = 3_600_000;
const usage = { promptTokens: 900, completionTokens: 30, totalTokens: 930, cachedTokens: 800, costUsd: 0.01 };
const answer = (turn: number) => ({ turn, durationMs: 900, ttftMs: 300, usage });

/** A turn that reads, edits with an approval, and formats. */
function session() {
  const log = eventLog("s");
  log.add("session.created", {}, null);
  log.add("run.started", { prompt: "Rename it" });
  log.add("engine.request", { turn: 1, provider: "openai", model: "gpt" }, run, 0);
  log.add("engine.response", answer(1), run, 1000);
  log.add("tool.call", { turn: 1, callId: "c1", toolId: "edit_file", args: { path: "a.rs" } }, run, 0);
  log.add("approval.requested", { approvalId: "a1", callId: "c1" }, run, 100);
  log.add("run.paused", { reason: "approval", approvalId: "a1" }, run, 0);
  return log;
}

function approved(waitedMs: number) {
  const log = session();
  log.add("approval.resolved", { approvalId: "a1" }, run, waitedMs);
  log.add("run.resumed", { reason: "approval", approvalId: "a1" }, run, 0);
  log.add("tool.result", { callId: "c1", toolId: "edit_file", durationMs: 50 }, run, 50);
  log.add("hook.ran", { hook: "fmt", callId: "c1", durationMs: 20 }, run, 20);
  log.add("engine.request", { turn: 2, provider: "openai", model: "gpt" }, run, 0);
  log.add("engine.response", answer(2), run, 1000);
  log.add("run.completed", {}, run, 0);
  return log.events;
}

describe("the rows of the waterfall", () => {
  it("are nested by run, turn and call", () => {
    expect(lines(approved(5000))).toEqual([
      "run Rename it 7170 done",
      "  turn  6170 done",
      "    model openai/gpt 1000 done",
      "    tool edit_file 5050 done",
      "      wait approval 5000 done",
      "      hook fmt 20 done",
      "  turn  1000 done",
      "    model openai/gpt 1000 done",
    ]);
  });

  it("show the time to the first token, and when a call was at work and when it waited", () => {
    const model = row(approved(5000), "model");
    expect(model.pieces.map(({ look, from, to }) => [look, to - from])).toEqual([
      ["first", 100],
      ["first", 300],
      ["work", 600],
    ]);
    expect([model.ttftMs, model.usage?.cachedTokens]).toEqual([300, 800]);
    const tool = row(approved(5000), "tool");
    expect(tool.pieces.map(({ look, from, to }) => [look, to - from])).toEqual([
      ["wait", 5000],
      ["work", 50],
    ]);
  });

  it("are folded where somebody folds them", () => {
    const [first] = layout(approved(1), asked()).rows;
    expect(lines(approved(1), { toggled: new Set([first?.span.key ?? ""]) })).toHaveLength(1);
  });

  it("still grow while the run goes on, up to now", () => {
    const { events } = session();
    const now = (events.at(-1)?.ts ?? 0) + 7000;
    expect(lines(events, { edge: { now } })).toEqual([
      "run Rename it 8100 running",
      "  turn  8100 running",
      "    model openai/gpt 1000 done",
      "    tool edit_file 7100 running",
      "      wait approval 7000 running",
    ]);
    const pieces = row(events, "tool", { edge: { now } }).pieces.map(({ look, from, to }) => [
      look,
      to - from,
    ]);
    expect(pieces).toEqual([
      ["work", 100],
      ["wait", 7000],
    ]);
  });

  it("are lost where a crash left no end, whatever came much later", () => {
    const log = eventLog("s");
    log.add("run.started", { prompt: "x" });
    log.add("engine.request", { turn: 1, model: "m" }, run, 0);
    log.add("engine.response", answer(1), run, 1000);
    log.add("tool.call", { turn: 1, callId: "c", toolId: "run_command" }, run, 0);
    log.add("tool.call", { turn: 1, callId: "d", toolId: "run_command" }, run, 0);
    log.add("tool.result", { callId: "c", toolId: "run_command", durationMs: 300 }, run, 300);
    expect(row(log.events, "run").end).toBe("lost");
    expect(lines(log.events).at(-1)).toBe("    tool run_command 300 lost");
    log.add("run.resumed", { reason: "interrupted" }, run, 9 * hour);
    log.add("engine.request", { turn: 2, model: "m" }, run, 0);
    expect(lines(log.events).slice(3)).toEqual([
      "    tool run_command 300 done",
      "    tool run_command 300 lost",
      `  wait interrupted ${9 * hour} done`,
      "  turn  0 done",
      "    model /m 0 lost",
    ]);
  });

  it("end a request that failed with its run", () => {
    const log = eventLog("s");
    log.add("run.started", { prompt: "x" });
    log.add("engine.request", { turn: 1, model: "m" }, run, 0);
    log.add("engine.retry", { turn: 1, delayMs: 500, attempt: 1 }, run, 100);
    log.add("run.failed", {}, run, 700);
    expect(lines(log.events)).toEqual(["run x 800 error", "  turn  800 done", "    model /m 800 error"]);
  });

  it("make one bar of quick reads in a row", () => {
    const log = eventLog("s");
    log.add("run.started", { prompt: "x" });
    for (let n = 0; n < 5; n += 1) {
      log.add("tool.call", { turn: 1, callId: `c${n}`, toolId: "read_file", category: "read" }, run, 0);
    }
    for (let n = 0; n < 5; n += 1)
      log.add("tool.result", { callId: `c${n}`, toolId: "read_file", durationMs: 10 }, run, 10);
    log.add("run.completed", {}, run, 0);
    expect(lines(log.events)).toEqual(["run x 50 done", "  turn  50 done", "    reads 5 50 done"]);
    const reads = row(log.events, "reads");
    expect(lines(log.events, { toggled: new Set([reads.key]) })).toHaveLength(8);
  });

  /** A run of 1.1 s that leaves a command behind. */
  function leaving(toolId = "run_command") {
    const log = eventLog("s");
    log.add("run.started", { prompt: "x" });
    log.add("engine.request", { turn: 1, model: "m" }, run, 0);
    log.add("engine.response", answer(1), run, 1000);
    log.add("tool.call", { turn: 1, callId: "c", toolId, asyncCallId: "c" }, run, 0);
    if (toolId === "delegate") log.add("subagent.started", { callId: "c", agent: "scout" }, run, 0);
    log.add("tool.result", { callId: "c", toolId, asyncCallId: "c" }, run, 10);
    return log;
  }

  it("end a run without what it left in the background", () => {
    const log = leaving();
    log.add("engine.request", { turn: 2, model: "m" }, run, 0);
    log.add("engine.response", { turn: 2, durationMs: 90 }, run, 90);
    log.add("run.completed", {}, run, 0);
    log.add("run.started", { prompt: "y" }, "r2", 10 * hour);
    log.add("engine.request", { turn: 1, model: "m" }, "r2", 0);
    log.add("tool.async_result", { asyncCallId: "c", toolId: "run_command" }, null, 500);
    log.add("engine.response", answer(1), "r2", 500);
    log.add("run.completed", {}, "r2", 0);
    expect(lines(log.events)).toEqual([
      "run x 1100 done",
      "  turn  1010 done",
      "    model /m 1000 done",
      `    tool run_command ${10 * hour + 600} done`,
      "  turn  90 done",
      "    model /m 90 done",
      "run y 1000 done",
      "  turn  1000 done",
      "    model /m 1000 done",
    ]);
    const { scale } = layout(log.events, asked());
    expect(scale.pauses.map(({ from, to }) => to - from)).toEqual([10 * hour]);
    expect(scale.length).toBeLessThan(3000);
  });

  it("keep a command in the background running after its run", () => {
    const log = leaving();
    expect(lines(log.events, { edge: { now: (log.events.at(-1)?.ts ?? 0) + 90 } })).toEqual([
      "run x 1100 running",
      "  turn  1010 done",
      "    model /m 1000 done",
      "    tool run_command 100 running",
    ]);
    log.add("run.completed", {}, run, 90);
    expect(lines(log.events)).toEqual([
      "run x 1100 done",
      "  turn  1010 done",
      "    model /m 1000 done",
      "    tool run_command 100 running",
    ]);
    expect(factsOf(row(log.events, "tool"))).toEqual(["tool call", "still running", "in the background"]);
  });

  it("keep a sub-agent in the background until its result, which its run waits for", () => {
    const log = leaving("delegate");
    expect(lines(log.events).at(-1)).toBe("    agent scout 10 lost");
    log.add("tool.async_result", { asyncCallId: "c", toolId: "delegate" }, run, 10 * hour);
    log.add("run.completed", {}, run, 0);
    expect(lines(log.events)).toEqual([
      `run x ${10 * hour + 1010} done`,
      "  turn  1010 done",
      "    model /m 1000 done",
      `    agent scout ${10 * hour + 10} done`,
    ]);
    expect(layout(log.events, asked()).scale.pauses).toHaveLength(1);
  });

  it("lose a command that a crash kept from going into the background", () => {
    const log = leaving();
    expect(lines(log.events.slice(0, -1)).at(-1)).toBe("    tool run_command 0 lost");
  });

  it("go on where the events after them are not loaded", () => {
    const { events } = session();
    expect(lines(events, { edge: "cut" })).toEqual([
      "run Rename it 1100 cut",
      "  turn  1100 cut",
      "    model openai/gpt 1000 done",
      "    tool edit_file 100 cut",
      "      wait approval 0 cut",
    ]);
    expect(timeOf(row(events, "wait", { edge: "cut" }))).toBe("");
    expect(factsOf(row(events, "tool", { edge: "cut" })).slice(0, 2)).toEqual([
      "tool call",
      "goes on after what is loaded",
    ]);
  });

  it("show what a loaded part of a session begins in the middle of", () => {
    const events = approved(5000).slice(9);
    expect(lines(events)[0]).toContain("run  ");
    expect(lines(events).some((line) => line.includes("tool edit_file 50 done"))).toBe(true);
  });
});

describe("the scale of the waterfall", () => {
  it("draws a night's wait short and says how long it was", () => {
    const events = approved(10 * hour);
    const { scale, rows } = layout(events, asked());
    expect(scale.pauses).toHaveLength(1);
    const [pause] = scale.pauses;
    expect(Math.round(((pause?.to ?? 0) - (pause?.from ?? 0)) / hour)).toBe(10);
    expect(scale.length).toBeLessThan(4000);
    const places = rows.flatMap(({ span }) => [placeOf(scale, span.from), placeOf(scale, span.to)]);
    expect(Math.min(...places)).toBe(0);
    expect(Math.max(...places)).toBeCloseTo(100);
    // The run's work still has most of the width.
    const [from, to] = [pause?.from ?? 0, pause?.to ?? 0].map((ts) => placeOf(scale, ts));
    expect((to ?? 0) - (from ?? 0)).toBeLessThan(10);
  });

  it("draws the pause between two runs short", () => {
    const log = eventLog("s");
    for (const id of ["r1", "r2"]) {
      log.add("run.started", { prompt: id }, id, 8 * hour);
      log.add("engine.request", { turn: 1, model: "m" }, id, 0);
      log.add("engine.response", answer(1), id, 1000);
      log.add("run.completed", {}, id, 0);
    }
    expect(lines(log.events).filter((line) => !line.startsWith(" "))).toEqual([
      "run r1 1000 done",
      "run r2 1000 done",
    ]);
    expect(layout(log.events, asked()).scale.pauses.map(({ from, to }) => to - from)).toEqual([8 * hour]);
  });

  it("draws the bars of a span one behind the other, and one that took no time all the same", () => {
    const { rows, scale } = layout(approved(5000), asked());
    const barsOfKind = (kind: string) =>
      rows.filter(({ span }) => span.kind === kind).map(({ span }) => barsOf(scale, span));
    const [[waits, works] = []] = barsOfKind("tool");
    expect([waits?.look, works?.look]).toEqual(["wait", "work"]);
    expect(works?.left).toBeCloseTo((waits?.left ?? 0) + (waits?.width ?? 0));
    const [ended] = rows.map(({ span }) => ({ ...span, pieces: [], to: span.from }));
    expect(ended && barsOf(scale, ended)).toEqual([{ left: 0, width: 0, look: "work" }]);
  });

  it("is there without any event", () => {
    expect(layout([], asked())).toEqual({
      rows: [],
      spans: [],
      scale: { from: 0, to: 0, length: 1, pauses: [] },
    });
  });

  it("has a row for every span of a long run", () => {
    const log = eventLog("s");
    log.add("run.started", { prompt: "x" });
    for (let n = 0; n < 500; n += 1) {
      const call = { turn: n, callId: `c${n}`, toolId: "run_command" };
      log.add("engine.request", { turn: n, model: "m" }, run, 0);
      log.add("engine.response", answer(n), run, 1000);
      log.add("tool.call", call, run, 0);
      log.add("tool.result", { ...call, durationMs: 200 }, run, 200);
    }
    log.add("run.completed", {}, run, 0);
    const { rows, scale } = layout(log.events, asked());
    expect(rows).toHaveLength(1 + 500 * 3);
    expect(rows[0]?.span).toMatchObject({ kind: "run", end: "done" });
    expect(scale).toMatchObject({ length: 500 * 1200, pauses: [] });
  });
});
