/**
 * How wide each column is. The conversation keeps its room; the others give way in this order: the inspector is
 * narrower, the inspector is a sheet above the conversation, the sidebar is a drawer. Pure.
 */

/** CSS pixels: [least, at first, most]. */
export type Bounds = readonly [least: number, first: number, most: number];

export const conversationLeast = 420;
const sheetLeast = 420;
export const sidebarWidth: Bounds = [176, 232, 400];

/** What the sidebar and the conversation's reading column have of a wide window. */
const besideInspector = 892;

/**
 * At first as much as leaves the conversation its reading column: lines of code should not wrap. What has none, such as
 * a plan, leaves the rest of a wide window to it.
 */
export function inspectorWidth(window: number, isWide = true): Bounds {
  const first = Math.max(window * 0.38, window - besideInspector);
  return [320, clampWidth(first, [320, 440, isWide ? 1440 : 560]), 1600];
}

export function clampWidth(width: number, [least, , most]: Bounds): number {
  return Math.round(Math.min(most, Math.max(least, width)));
}

export type Column = {
  width: number;
  /** Above the conversation, and not beside it. */
  floats: boolean;
  /** How wide it may be made. */
  most: number;
};

/** In review mode the diff has what the conversation leaves, which is the narrow column then. */
export const railWidth: Bounds = [300, 320, 560];
const diffLeast = 480;
/** In a narrower window the diff is a sheet above the conversation, as wide as the window. */
export const reviewLeast = railWidth[0] + diffLeast;
/** What both have beside the sessions: two sides of a diff, with 60 characters each. */
export const reviewWide = railWidth[1] + 1120;

export function railIn(window: number, wished: number, beside: number): Column {
  const most = Math.min(railWidth[2], window - beside - diffLeast);
  return { width: Math.min(most, clampWidth(wished, railWidth)), floats: false, most };
}

/** How wide the user wants them. */
export type Wished = { sidebar: number; inspector: number };

/** `rest`: what the other columns need at least. */
export function sidebarIn(window: number, wished: Wished, rest = conversationLeast): Column {
  const width = clampWidth(wished.sidebar, sidebarWidth);
  const floats = window < width + rest;
  return { width, floats, most: Math.min(sidebarWidth[2], Math.max(width, window - rest)) };
}

/** `beside`: the width of the sidebar where it stands beside the conversation, else 0. */
export function inspectorIn(window: number, wished: Wished, beside: number): Column {
  const bounds = inspectorWidth(window);
  const room = window - beside - conversationLeast;
  const floats = room < bounds[0];
  const most = floats ? bounds[2] : Math.min(bounds[2], room);
  const width = Math.min(most, clampWidth(wished.inspector, bounds));
  // A sheet has room of its own, and one more button in its head.
  return { width: floats ? Math.max(width, sheetLeast) : width, floats, most };
}
