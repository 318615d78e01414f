import { describe, expect, it } from "vitest";
import { graphOf, mostCells, type Needing, neighbour } from "./layers";

const steps = (needs: Record<string, string[]>): Needing[] =>
  Object.entries(needs).map(([step, of]) => ({ step, needs: of }));
const cells = (needs: Record<string, string[]>) =>
  Object.fromEntries(
    [...(graphOf(steps(needs))?.places ?? [])].map(([step, { column, row }]) => [step, `${column},${row}`]),
  );
const diamond = { a: [], b: ["a"], c: ["a"], d: ["b", "c"] };

describe("the graph of steps", () => {
  it("is a line where each needs the one before", () => {
    expect(cells({ a: [], b: ["a"], c: ["b"] })).toEqual({ a: "0,0", b: "1,0", c: "2,0" });
  });

  it("puts steps that don't wait for each other into one column", () => {
    expect(cells(diamond)).toEqual({ a: "0,0", b: "1,0", c: "1,1", d: "2,0" });
  });

  it("knows needs that are written later", () => {
    expect(cells({ b: ["a"], a: [] })).toEqual({ b: "1,0", a: "0,0" });
  });

  it("keeps a row free where a line passes a step", () => {
    const graph = graphOf(steps({ a: [], b: ["a"], c: ["a", "b"] }));
    const line = graph?.lines.find(({ from, to }) => from === "a" && to === "c");
    const passed = line?.cells[1];
    expect(line?.cells).toHaveLength(3);
    expect(passed?.column).toBe(1);
    expect(passed?.row).not.toBe(graph?.places.get("b")?.row);
  });

  it("never puts two into one cell", () => {
    const wide = Object.fromEntries(
      Array.from({ length: 40 }, (_, n) => [`s${n}`, n < 3 ? [] : [`s${(n * 7) % n}`, `s${n % 3}`]]),
    );
    const all = Object.values(cells(wide));
    expect(new Set(all).size).toBe(40);
  });

  it("is none where it would be too large, and ends with a cycle", () => {
    const many = Array.from({ length: mostCells + 1 }, (_, n) => ({ step: `s${n}`, needs: [] }));
    expect(graphOf(many)).toBeNull();
    expect(cells({ a: ["b"], b: ["a"] })).toEqual({ a: "0,0", b: "0,1" });
  });

  it("leads from step to step by arrow keys", () => {
    const graph = graphOf(steps(diamond));
    if (!graph) throw new Error("no graph");
    const to = (from: string, key: string) => neighbour(graph, from, key);
    expect(to("a", "ArrowRight")).toBe("b");
    expect(to("b", "ArrowDown")).toBe("c");
    expect(to("c", "ArrowUp")).toBe("b");
    expect(to("c", "ArrowRight")).toBe("d");
    expect(to("d", "ArrowLeft")).toBe("b");
    expect(to("a", "ArrowLeft")).toBeNull();
    expect(to("a", "x")).toBeNull();
  });
});
