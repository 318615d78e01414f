/** The part of the waterfall's time that is shown, kept in real time: it stays while the run and its scale grow. Pure. */
import { placeOf, type Scale, timeAt, type View } from "./layout";

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
