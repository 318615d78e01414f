import { describe, expect, it } from "vitest";
import { eventLog } from "../../testing/events";
import { type Layout, layout } from "./layout";
import { movedTo, rowOf, spanWith } from "./tree_keys";

/** A run with a turn, in it two folded reads and a command. */
function drawn(toggled: ReadonlySet<string> = new Set()): Layout {
  const log = eventLog("s");
  log.add("run.started", { prompt: "x" });
  for (const callId of ["a", "b"]) {
    const call = { turn: 1, callId, toolId: "read_file", category: "read" } as const;
    log.add("tool.call", call);
    log.add("tool.result", { ...call, durationMs: 10 });
  }
  log.add("tool.call", { turn: 1, callId: "c", toolId: "run_command" });
  log.add("tool.result", { callId: "c", toolId: "run_command", durationMs: 10 });
  log.add("run.completed", {});
  return layout(log.events, { edge: "over", toggled });
}
const { rows, spans } = drawn();
const [run, , reads] = rows.map(({ span }) => span);
const [firstRead] = reads?.children ?? [];

describe("the keys of the tree", () => {
  it("walk over the rows", () => {
    expect(rows.map(({ span }) => span.kind)).toEqual(["run", "turn", "reads", "tool"]);
    expect(movedTo("ArrowDown", 1, rows)).toBe(2);
    expect(movedTo("ArrowUp", 1, rows)).toBe(0);
    expect(movedTo("PageDown", 1, rows)).toBe(21);
    expect(movedTo("PageUp", 1, rows)).toBe(-19);
    expect(movedTo("Home", 2, rows)).toBe(0);
    expect(movedTo("End", 0, rows)).toBe(3);
    expect(movedTo("x", 1, rows)).toBeNull();
  });

  it("lead into what is open, and out of what is not", () => {
    expect(movedTo("ArrowRight", 0, rows)).toBe(1);
    expect(movedTo("ArrowRight", 2, rows)).toBeNull();
    expect(movedTo("ArrowRight", 3, rows)).toBe(3);
    expect(movedTo("ArrowLeft", 0, rows)).toBeNull();
    expect(movedTo("ArrowLeft", 2, rows)).toBe(1);
    const [top] = drawn(new Set([run?.key ?? ""])).rows;
    expect(top && movedTo("ArrowLeft", 0, [top])).toBe(0);
  });
});

describe("the active row", () => {
  it("is the one that its span is folded into", () => {
    expect(rowOf(rows, reads?.key ?? "")).toBe(2);
    expect(firstRead?.name).toBe("read_file");
    expect(rowOf(rows, firstRead?.key ?? "")).toBe(2);
    expect(rowOf(drawn(new Set([run?.key ?? ""])).rows, firstRead?.key ?? "")).toBe(0);
  });

  it("is the first where its span is gone", () => {
    expect([rowOf(rows, null), rowOf(rows, "tool 99"), rowOf([], "tool 99")]).toEqual([0, 0, 0]);
  });

  it("has a span that is found where it is folded", () => {
    expect(spanWith(spans, firstRead?.key ?? "")).toBe(firstRead);
    expect(spanWith(spans, "tool 99")).toBeNull();
  });
});
