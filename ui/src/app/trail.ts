/** Where the window has been, so that back and forward lead through it. Pure. */
import type { Shown } from "../protocol/generated";

/** A view that has the main area to itself. */
export type Place = "inbox" | "memory" | "pipelines" | "usage";

/** Without a place, it is the session that is shown, or a new one. */
export type Address = { place: Place | null; shown: Shown | null };

/** The nearest come first in `back` and in `forward`. */
export type Trail = { back: readonly Address[]; now: Address; forward: readonly Address[] };

const most = 100;

export function isSame(one: Address, other: Address): boolean {
  if (one.place !== null || other.place !== null) return one.place === other.place;
  return one.shown?.folder === other.shown?.folder && one.shown?.sessionId === other.shown?.sessionId;
}

/** A session that has not begun is come back to from a place alone: else it would be there before each that has. */
export function moved({ back, now }: Trail, to: Address): Trail {
  const isPassing = now.place === null && to.place === null && (now.shown?.sessionId ?? null) === null;
  return { back: isPassing ? back : [now, ...back].slice(0, most), now: to, forward: [] };
}

/** Null where nothing is left to go to. What is gone by now is passed over. */
export function stepped(
  { back, now, forward }: Trail,
  by: 1 | -1,
  isThere: (address: Address) => boolean,
): Trail | null {
  const ahead = by === -1 ? back : forward;
  const at = ahead.findIndex((one) => isThere(one) && !isSame(one, now));
  const to = ahead[at];
  if (to === undefined) return null;
  const left = ahead.slice(at + 1);
  return by === -1
    ? { back: left, now: to, forward: [now, ...forward] }
    : { back: [now, ...back], now: to, forward: left };
}
