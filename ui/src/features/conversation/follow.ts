/** Whether the transcript follows its end. Decided from positions alone, so that it can be tested as a fact. */
export type Position = { top: number; height: number; view: number };

/** Nearer than this to the end counts as being at the end. */
export const endSlack = 40;

export const toEnd = (at: Position) => at.height - at.view - at.top;

/**
 * Content that grows or is measured anew moves the end away; only someone who scrolls up leaves it. Rows that
 * shrink, and a view that grows, pull the position up with them, which is no scrolling. Nor is it where nobody can have
 * done it: a browser may put a scroller that has just come to overflow back to its top.
 */
export function follows(following: boolean, before: Position, now: Position, mayBeReader: boolean): boolean {
  if (toEnd(now) <= endSlack) return true;
  const up = before.top - now.top;
  const pulled = Math.max(0, before.height - now.height) + Math.max(0, now.view - before.view);
  return following && (up <= pulled + 1 || !mayBeReader);
}
