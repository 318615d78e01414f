/** Which of the user's messages the reader is at, and which come before and after it. Pure, but for who listens. */

/** Where a row is, counted from the top of what is seen. */
export type Edges = { top: number; bottom: number };
type EdgesOf = (at: number) => Edges;

/** How high the message at the top is, in CSS pixels, as `conversation.css` has it. */
export const stuckHeight = 40;

/** The last message that has left at the top, as long as the next one doesn't come to its place. */
export function stuckAt(count: number, edgesOf: EdgesOf): number | null {
  const last = countUntil(count, (at) => edgesOf(at).bottom <= stuckHeight) - 1;
  const isNextThere = last + 1 < count && edgesOf(last + 1).top < stuckHeight;
  return last < 0 || isNextThere ? null : last;
}

/** The message before or after: of the one that has the focus and is seen, else of what is seen. */
export function steppedTo(count: number, edgesOf: EdgesOf, by: 1 | -1, focused: number | null) {
  const above = countUntil(count, (at) => edgesOf(at).top < -1);
  const upTo = countUntil(count, (at) => edgesOf(at).top <= 1);
  const next = focused !== null ? focused + by : by === 1 ? upTo : above - 1;
  return next >= 0 && next < count ? next : null;
}

/** How many of them, one below the other, come before the first that doesn't fit. */
function countUntil(count: number, fits: (at: number) => boolean): number {
  let [from, to] = [0, count];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (fits(middle)) from = middle + 1;
    else to = middle;
  }
  return from;
}

type Listener = (by: 1 | -1) => void;
let listener: Listener | null = null;

/** The transcript that is shown; returns how to stop. */
export function onStep(step: Listener): () => void {
  listener = step;
  return () => {
    if (listener === step) listener = null;
  };
}

export const stepMessage: Listener = (by) => listener?.(by);
