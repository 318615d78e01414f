/** The keys of the waterfall's tree: which row they lead to, and where the active row is when rows fold. Pure. */
import type { Row } from "./layout";
import type { Span } from "./spans";

const pageRows = 20;

/** Null where the key leads to no other row; an arrow that unfolds or folds this one doesn't. */
export function movedTo(key: string, at: number, rows: readonly Row[]): number | null {
  const open = rows[at]?.open ?? null;
  switch (key) {
    case "ArrowDown":
      return at + 1;
    case "ArrowUp":
      return at - 1;
    case "PageDown":
      return at + pageRows;
    case "PageUp":
      return at - pageRows;
    case "Home":
      return 0;
    case "End":
      return rows.length - 1;
    case "ArrowRight":
      return open === false ? null : open ? at + 1 : at;
    case "ArrowLeft":
      return open ? null : parentOf(rows, at);
    default:
      return null;
  }
}

/** Itself at the top. */
function parentOf(rows: readonly Row[], at: number): number {
  const level = rows[at]?.level ?? 1;
  const parent = rows.findLastIndex((row, place) => place < at && row.level < level);
  return parent === -1 ? at : parent;
}

/** The row of a span, or the one that it is folded into; without either the first. */
export function rowOf(rows: readonly Row[], key: string | null): number {
  if (key === null) return 0;
  const own = rows.findIndex(({ span }) => span.key === key);
  return own !== -1
    ? own
    : Math.max(
        0,
        rows.findLastIndex(({ span }) => spanWith([span], key) !== null),
      );
}

export function spanWith(spans: readonly Span[], key: string): Span | null {
  for (const span of spans) {
    const found = span.key === key ? span : spanWith(span.children, key);
    if (found) return found;
  }
  return null;
}
