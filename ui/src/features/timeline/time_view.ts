/** The part of the waterfall's time that is shown, kept in real time: it stays while the run and its scale grow. Pure. */
import { placeOf, type Scale, timeAt, type View } from "./layout";
import type { Span } from "./spans";

/** Null shows everything. */
export type Zoom = { from: number; to: number } | null;

export const fit = null;
export const zoomStep = 2;
/** Nothing in a log is told more exactly than this many milliseconds across. */
const leastMs = 20;

export function viewOf(scale: Scale, zoom: Zoom): View {
  if (zoom === null) return { from: 0, length: scale.length };
  const from = placeOf(scale, zoom.from);
  const length = inside(scale, placeOf(scale, zoom.to) - from);
  return { from: Math.min(from, scale.length - length), length };
}

/** By that much nearer, with what is in the middle of the view staying there, or a place that is brought there. */
export function zoomed(zoom: Zoom, by: number, scale: Scale, center?: number): Zoom {
  const view = viewOf(scale, zoom);
  const length = inside(scale, view.length / by);
  return zoomOn(scale, (center ?? view.from + view.length / 2) - length / 2, length);
}

/**
 * The place to bring nearer for a span: the middle of its work that is nearest to what is shown now, so that a bar of it
 * stays in sight. What is drawn short is no work, even where something goes on in the background; a span that only waits
 * has its own middle.
 */
export function centerOf(scale: Scale, span: Span, zoom: Zoom): number {
  const view = viewOf(scale, zoom);
  const shown = view.from + view.length / 2;
  const middle = ({ from, to }: Stretch) => (placeOf(scale, from) + placeOf(scale, to)) / 2;
  const pieces: readonly Stretch[] =
    span.pieces.length > 0 ? span.pieces.filter((piece) => piece.look !== "wait") : [span];
  const work = pieces.flatMap((piece) => outsidePauses(scale, piece)).map(middle);
  const [first = middle(span), ...others] = work;
  return others.reduce((best, one) => (Math.abs(one - shown) < Math.abs(best - shown) ? one : best), first);
}

type Stretch = { from: number; to: number };

function outsidePauses({ pauses }: Scale, { from, to }: Stretch): Stretch[] {
  const parts: Stretch[] = [];
  let at = from;
  for (const pause of pauses) {
    if (pause.to <= at || pause.from >= to) continue;
    if (pause.from > at) parts.push({ from: at, to: pause.from });
    at = pause.to;
  }
  // What took no time has its place all the same.
  if (at < to || at === from) parts.push({ from: at, to });
  return parts;
}

/** `share`: of the way that the view can move. */
export function moved(zoom: Zoom, scale: Scale, share: number): Zoom {
  const { length } = viewOf(scale, zoom);
  return zoomOn(scale, share * (scale.length - length), length);
}

/** How far the view has moved, as `moved` takes it. */
export function movedBy(zoom: Zoom, scale: Scale): number {
  const { from, length } = viewOf(scale, zoom);
  return from / Math.max(1, scale.length - length);
}

function inside(scale: Scale, length: number): number {
  return Math.min(scale.length, Math.max(leastMs, length));
}

function zoomOn(scale: Scale, start: number, length: number): Zoom {
  // Real times are so large that fractions of a millisecond get lost.
  if (length > scale.length - 1) return fit;
  const from = Math.min(scale.length - length, Math.max(0, start));
  return { from: timeAt(scale, from), to: timeAt(scale, from + length) };
}
