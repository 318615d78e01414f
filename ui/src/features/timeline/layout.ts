/** From events to the rows and bars of the waterfall, and the scale they are drawn to. Pure. */
import type { Event } from "../../protocol/generated";
import { type Edge, type Piece, type Span, spansOf } from "./spans";

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

/** `toggled`: the spans that are folded where they are usually open, and the other way round. */
export type Asked = { edge: Edge; toggled: ReadonlySet<string> };

export function layout(events: readonly Event[], { edge, toggled }: Asked): Layout {
  const spans = spansOf(events, edge).map(foldedReads);
  return { rows: rowsOf(spans, toggled, 1), scale: scaleOf(spans), spans };
}

function rowsOf(spans: readonly Span[], toggled: ReadonlySet<string>, level: number): Row[] {
  return spans.flatMap((span, at) => {
    const open = span.children.length === 0 ? null : (span.kind !== "reads") !== toggled.has(span.key);
    const row = { span, level, place: at + 1, siblings: spans.length, open };
    return [row, ...(open ? rowsOf(span.children, toggled, level + 1) : [])];
  });
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
  const all = flat(spans);
  if (all.length === 0) return { from: 0, to: 0, length: 1, pauses: [] };
  const from = all.reduce((least, span) => Math.min(least, span.from), Number.POSITIVE_INFINITY);
  const to = all.reduce((most, span) => Math.max(most, span.to), from);
  const gaps: { from: number; to: number }[] = [];
  let [at, working] = [from, 0];
  for (const one of [...workIn(spans), { from: to, to }]) {
    if (one.from - at > longMs) gaps.push({ from: at, to: one.from });
    working += Math.max(0, one.to - Math.max(at, one.from));
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

const flat = (spans: readonly Span[]): Span[] => spans.flatMap((span) => [span, ...flat(span.children)]);

/** When runs were at work, in order of their beginnings: a server in the background would fill every pause. */
function workIn(spans: readonly Span[]): Piece[] {
  const work = (span: Span): Piece[] =>
    span.inBackground
      ? []
      : [...span.pieces.filter(({ look }) => look !== "wait"), ...span.children.flatMap(work)];
  return spans.flatMap(work).sort((a, b) => a.from - b.from);
}

/** Where a moment is drawn, in hundredths of the scale. */
export function placeOf({ from, to, length, pauses }: Scale, ts: number): number {
  const time = Math.min(to, Math.max(from, ts));
  const pause = pauses.findLast((one) => one.from <= time);
  const before = pause && Math.min(1, (time - pause.from) / (pause.to - pause.from)) * pause.drawn;
  const place = pause ? pause.at + (before ?? 0) + Math.max(0, time - pause.to) : time - from;
  return (100 * place) / length;
}

/** `left` and `width` in hundredths of the scale. */
export type Bar = { left: number; width: number; look: Piece["look"] };

/** One that took no time still has a place, if it is the only one. */
export function barsOf(scale: Scale, span: Span): Bar[] {
  const pieces: readonly Piece[] = span.pieces.length > 0 ? span.pieces : [{ ...span, look: "work" }];
  const bars = pieces.map(({ from, to, look }) => {
    const left = placeOf(scale, from);
    return { left, width: placeOf(scale, to) - left, look };
  });
  const long = bars.filter(({ width }) => width > 0);
  return long.length > 0 ? long : bars.slice(0, 1);
}
