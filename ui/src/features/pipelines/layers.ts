/**
 * Where the steps of a pipeline stand in their graph, and how the lines between them run. Pure. A step stands one column
 * after the last one that it needs; a line that passes columns keeps a row free in each, so that it crosses no step.
 */

export type Needing = { step: string; needs: readonly string[] };

/** The middle of a cell is half a unit into it. */
export type Cell = { column: number; row: number };

export type Graph = {
  columns: number;
  rows: number;
  places: ReadonlyMap<string, Cell>;
  /** From one step to another, by the cells that they pass; the first and the last are the steps'. */
  lines: readonly { from: string; to: string; cells: readonly Cell[] }[];
};

/** More cells than this are no picture that anyone can read. */
export const mostCells = 600;

/** Null where the graph is too large to be drawn. */
export function graphOf(steps: readonly Needing[]): Graph | null {
  const columns = columnsOf(steps);
  const edges = steps.flatMap(({ step, needs }) =>
    needs.filter((need) => columns.has(need)).map((need) => ({ from: need, to: step })),
  );
  const column = (step: string) => columns.get(step) ?? 0;
  const passed = edges.reduce((sum, { from, to }) => sum + column(to) - column(from), 0);
  if (steps.length + passed > mostCells) return null;
  // Each stop is a step, or a place that a line passes.
  const layers: Stop[][] = [];
  const put = (stop: Stop, at: number) => {
    const layer = layers[at] ?? [];
    layers[at] = [...layer, stop];
    return stop;
  };
  const stops = new Map<string, Stop>();
  for (const { step } of steps) stops.set(step, put({ row: 0, before: [] }, column(step)));
  const paths = edges.flatMap(({ from, to }) => {
    const [first, last] = [stops.get(from), stops.get(to)];
    if (!first || !last) return [];
    const path = [first];
    for (let at = column(from) + 1; at < column(to); at += 1) {
      path.push(put({ row: 0, before: path.slice(-1) }, at));
    }
    last.before.push(path.at(-1) ?? first);
    return [{ from, to, path: [...path, last] }];
  });
  for (const layer of layers) place(layer);
  return {
    columns: layers.length,
    rows: Math.max(0, ...layers.flat().map(({ row }) => row + 1)),
    places: new Map(
      [...stops].map(([step, { row }]): [string, Cell] => [step, { column: column(step), row }]),
    ),
    lines: paths.map(({ from, to, path }) => ({
      from,
      to,
      cells: path.map(({ row }, at) => ({ column: column(from) + at, row })),
    })),
  };
}

type Stop = { row: number; before: Stop[] };

/** As straight as it goes: each beside the middle of those it comes from, none in another's row. */
function place(layer: Stop[]) {
  const wished = (stop: Stop) =>
    stop.before.reduce((sum, { row }) => sum + row, 0) / Math.max(1, stop.before.length);
  let free = 0;
  for (const stop of layer.toSorted((a, b) => wished(a) - wished(b))) {
    stop.row = Math.max(free, Math.floor(wished(stop)));
    free = stop.row + 1;
  }
}

/**
 * By step: how many come before it, one after the other. The engine refuses cycles; here one would end all the same, since each step
 * is looked at once.
 */
export function columnsOf(steps: readonly Needing[]): Map<string, number> {
  const waits = new Map(steps.map(({ step, needs }) => [step, needs.length]));
  const after = new Map<string, string[]>();
  for (const { step, needs } of steps)
    for (const need of needs) after.set(need, [...(after.get(need) ?? []), step]);
  const columns = new Map(steps.map(({ step }) => [step, 0]));
  const ready = steps.filter(({ needs }) => needs.length === 0).map(({ step }) => step);
  for (let step = ready.shift(); step !== undefined; step = ready.shift()) {
    for (const next of after.get(step) ?? []) {
      columns.set(next, Math.max(columns.get(next) ?? 0, (columns.get(step) ?? 0) + 1));
      const left = (waits.get(next) ?? 0) - 1;
      waits.set(next, left);
      if (left === 0) ready.push(next);
    }
  }
  return columns;
}

/** The step to go to with an arrow key; null where there is none in that direction. */
export function neighbour(graph: Graph, from: string, key: string): string | null {
  const at = graph.places.get(from);
  if (!at) return null;
  const others = [...graph.places].filter(([step]) => step !== from);
  const byRow = (a: Cell, b: Cell) => Math.abs(a.row - at.row) - Math.abs(b.row - at.row);
  const nearest = (isThere: (cell: Cell) => boolean, byDistance: (a: Cell, b: Cell) => number) =>
    others.filter(([, cell]) => isThere(cell)).toSorted(([, a], [, b]) => byDistance(a, b))[0]?.[0] ?? null;
  const sideways = (by: 1 | -1) =>
    nearest(
      ({ column }) => (column - at.column) * by > 0,
      (a, b) => Math.abs(a.column - at.column) - Math.abs(b.column - at.column) || byRow(a, b),
    );
  const upright = (by: 1 | -1) =>
    nearest(({ column, row }) => column === at.column && (row - at.row) * by > 0, byRow);
  if (key === "ArrowRight") return sideways(1);
  if (key === "ArrowLeft") return sideways(-1);
  if (key === "ArrowDown") return upright(1);
  if (key === "ArrowUp") return upright(-1);
  return null;
}
