/** Which part of the waterfall's time is shown. Pure. */
import type { Scale, View } from "./layout";

/** `factor`: 1 shows everything. `start`: in shares of all, so that it holds while a run grows. */
export type Zoom = { factor: number; start: number };

export const fit: Zoom = { factor: 1, start: 0 };
export const zoomStep = 2;
/** Nothing in a log is told more exactly than this many milliseconds across. */
const leastMs = 20;

export function viewOf({ length }: Scale, { factor, start }: Zoom): View {
  return { from: start * length, length: length / factor };
}

/** By that much nearer, with what is in the middle of the view staying there, or a place that is brought there. */
export function zoomed(zoom: Zoom, by: number, scale: Scale, center?: number): Zoom {
  const most = Math.max(1, scale.length / leastMs);
  const factor = Math.min(most, Math.max(1, zoom.factor * by));
  const middle = center === undefined ? zoom.start + 1 / zoom.factor / 2 : center / scale.length;
  return moved({ factor, start: 0 }, middle - 1 / factor / 2);
}

export function moved({ factor }: Zoom, start: number): Zoom {
  return { factor, start: Math.min(1 - 1 / factor, Math.max(0, start)) };
}
