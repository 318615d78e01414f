/** From events to the rows and bars of the waterfall, and the scale they are drawn to. Pure. */
import type { Event } from "../../protocol/generated";
import { type Edge, type Piece, type Span, type SpanKind, spansOf } from "./spans";

export type Filter = "" | "model" | "tool" | "agent" | "wait" | "hook";

export type Row = {
  span: Span;
  /** From 1. */
  level: number;
  /** Among its siblings, from 1. */
  place: number;
  siblings: number;
  /** Null where it has nothing in it. */
  open: boolean | null;
};

/** A long wait, drawn shorter than it was. */
export type Pause = { from: number; to: number; at: number; drawn: number };

/** Drawn milliseconds: as real ones, but for the pauses. */
export type Scale = { from: number; to: number; length: number; pauses: readonly Pause[] };

export type Layout = { rows: Row[]; scale: Scale; spans: readonly Span[] };

export type Asked = {
  edge: Edge;
  kind: Filter;
  /** The spans that are folded where they are usually open, and the other way round. */
  toggled: ReadonlySet<string>;
};

export function layout(events: readonly Event[], { edge, kind, toggled }: Asked): Layout {
  const spans = spansOf(events, edge).map(foldedReads);
  const scale = scaleOf(spans);
  const rows: Row[] = [];
  const shown = withGaps(
    spans.filter((span) => holds(span, kind)),
    scale,
    kind,
  );
  addRows(rows, shown, kind, toggled, 1);
  return { rows, scale, spans };
}

function addRows(
  rows: Row[],
  spans: readonly Span[],
  kind: Filter,
  toggled: ReadonlySet<string>,
  level: number,
) {
  spans.forEach((span, place) => {
    const children = span.children.filter((child) => holds(child, kind));
    const open = children.length === 0 ? null : isOpen(span, toggled);
    rows.push({ span, level, place: place + 1, siblings: spans.length, open });
    if (open) addRows(rows, children, kind, toggled, level + 1);
  });
}

export function isOpen({ key, kind }: Span, toggled: ReadonlySet<string>): boolean {
  return (kind !== "reads") !== toggled.has(key);
}

function holds(span: Span, kind: Filter): boolean {
  if (kind === "" || span.kind === kind) return true;
  if (kind === "tool" && span.kind === "reads") return true;
  return span.children.some((child) => holds(child, kind));
}

/** Reads that took no longer are routine. */
const quickMs = 1000;

/** Quick reads in a row become one span. */
function foldedReads(span: Span): Span {
  const children: Span[] = [];
  let reads: Span[] = [];
  const put = () => {
    const [first, last] = [reads[0], reads.at(-1)];
    if (first && last && reads.length > 1) children.push(togetherOf(first, reads));
    else children.push(...reads);
    reads = [];
  };
  for (const child of span.children) {
    if (isRoutine(child)) reads.push(child);
    else {
      put();
      children.push(foldedReads(child));
    }
  }
  put();
  return { ...span, children };
}

function togetherOf(first: Span, reads: Span[]): Span {
  const from = Math.min(...reads.map((read) => read.from));
  const to = Math.max(...reads.map((read) => read.to));
  const pieces: Piece[] = [{ from, to, look: "work" }];
  const name = `${reads.length}`;
  return {
    ...first,
    key: `reads ${first.key}`,
    kind: "reads",
    name,
    from,
    to,
    pieces,
    children: reads,
    events: [],
  };
}

function isRoutine({ kind, isRead, end, from, to, children }: Span): boolean {
  return kind === "tool" && isRead && end === "done" && to - from < quickMs && children.length === 0;
}

/** Shorter waits are drawn as long as they are. */
const longMs = 60_000;
/** Of the time at work: one pause, and all of them. */
const pauseShare = 0.03;
const pausesShare = 0.3;
const leastPauseMs = 50;

function scaleOf(spans: readonly Span[]): Scale {
  const busy = busyTimes(spans);
  const from = least(spans, (span) => span.from);
  const to = 0 - least(spans, (span) => -span.to);
  const gaps: { from: number; to: number }[] = [];
  let [at, working] = [from, 0];
  for (const one of [...busy, { from: to, to }]) {
    if (one.from - at > longMs) gaps.push({ from: at, to: one.from });
    working += one.to - one.from;
    at = Math.max(at, one.to);
  }
  const share = Math.min(pauseShare, pausesShare / Math.max(1, gaps.length));
  const drawn = Math.min(longMs, Math.max(leastPauseMs, working * share));
  let saved = 0;
  const pauses = gaps.map((gap) => {
    const pause = { ...gap, at: gap.from - from - saved, drawn };
    saved += gap.to - gap.from - drawn;
    return pause;
  });
  return { from, to, length: Math.max(1, to - from - saved), pauses };
}

/** When runs were at work, merged and in order: a server in the background would fill every pause. */
function busyTimes(spans: readonly Span[]): { from: number; to: number }[] {
  const pieces: Piece[] = [];
  const collect = (span: Span) => {
    if (span.inBackground) return;
    for (const piece of span.pieces) if (piece.look !== "wait") pieces.push(piece);
    span.children.forEach(collect);
  };
  spans.forEach(collect);
  pieces.sort((a, b) => a.from - b.from);
  const merged: { from: number; to: number }[] = [];
  for (const { from, to } of pieces) {
    const last = merged.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else merged.push({ from, to });
  }
  return merged;
}

function least(spans: readonly Span[], of: (span: Span) => number): number {
  let found = Number.POSITIVE_INFINITY;
  const look = (span: Span) => {
    found = Math.min(found, of(span));
    span.children.forEach(look);
  };
  spans.forEach(look);
  return Number.isFinite(found) ? found : 0;
}

/** Where a moment is drawn, in drawn milliseconds from the beginning. */
export function placeOf({ from, to, pauses }: Scale, ts: number): number {
  const time = Math.min(to, Math.max(from, ts));
  const pause = pauses[lastBefore(pauses, (one) => one.from <= time)];
  if (!pause) return time - from;
  if (time >= pause.to) return pause.at + pause.drawn + (time - pause.to);
  return pause.at + (pause.drawn * (time - pause.from)) / (pause.to - pause.from);
}

/** The moment that is drawn there. */
export function timeAt({ from, pauses }: Scale, place: number): number {
  const pause = pauses[lastBefore(pauses, (one) => one.at <= place)];
  if (!pause) return from + place;
  const beyond = place - pause.at - pause.drawn;
  if (beyond >= 0) return pause.to + beyond;
  return pause.from + ((place - pause.at) / pause.drawn) * (pause.to - pause.from);
}

/** The place of the last that it holds of, where it holds of all before; -1 for none. */
function lastBefore<Item>(items: readonly Item[], isBefore: (item: Item) => boolean): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = items[middle];
    if (item !== undefined && isBefore(item)) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Between runs nothing waits that could have a row of its own: the pause itself is one. */
function withGaps(spans: readonly Span[], { pauses }: Scale, kind: Filter): Span[] {
  if (kind !== "" && kind !== "wait") return [...spans];
  const gaps = pauses.filter((pause) => !spans.some((span) => span.from < pause.to && span.to > pause.from));
  return [...spans, ...gaps.map(gapSpan)].sort((a, b) => a.from - b.from);
}

function gapSpan({ from, to }: Pause): Span {
  return {
    key: `gap ${from}`,
    kind: "gap" satisfies SpanKind,
    name: "",
    detail: "",
    turn: 0,
    from,
    to,
    end: "done",
    pieces: [],
    children: [],
    events: [],
    usage: null,
    ttftMs: null,
    isRead: false,
    inBackground: false,
  };
}

/** The part of the scale that is shown, in drawn milliseconds. */
export type View = { from: number; length: number };

export type Bar = {
  /** In hundredths of the view's width, cut off at its edges. */
  left: number;
  width: number;
  look: Piece["look"];
};

/** The bars of a span that are in sight. */
export function barsIn(scale: Scale, view: View, span: Span): Bar[] {
  const pieces: readonly Piece[] = span.pieces.length > 0 ? span.pieces : [{ ...span, look: "work" }];
  const bars: Bar[] = [];
  for (const { from, to, look } of pieces) {
    const [left, right] = [placeOf(scale, from), placeOf(scale, to)].map(
      (place) => (100 * (place - view.from)) / view.length,
    ) as [number, number];
    // One that took no time still has a place.
    if (right < 0 || left > 100 || (right === left && pieces.length > 1 && bars.length > 0)) continue;
    const start = Math.max(0, left);
    bars.push({ left: start, width: Math.min(100, right) - start, look });
  }
  return bars;
}
