/** Whether a title needs a second line, told without drawing it: from its characters, by and large. Pure. */
import type { SessionSummary } from "../../protocol/generated";

/** Pixels of what stands in a row besides the title: the paddings, the mark before it, the room for the menu or a sign. */
const beside = 78;
/** And of a second sign: in a worktree, a fork. */
const sign = 20;
/** Wider than any list: nobody needs to count on. */
const enough = 800;

const narrow = /[ijlftrI.,:;'|!()[\]\s]/;
const wide = /[mwMW@%]/;
const upper = /[A-Z0-9_&?#]/;

/** Rather too much than too little: a line too many is quiet, a word that is cut is not. */
function pixelsOf(character: string, code: number): number {
  if (code > 0x2e80) return code >= 0xd800 && code <= 0xdfff ? 9 : 13;
  if (code > 0x7f) return 8;
  if (narrow.test(character)) return 4.5;
  if (wide.test(character)) return 11.5;
  return upper.test(character) ? 8.5 : 7.2;
}

const widths = new WeakMap<SessionSummary, number>();

function widthOf(session: SessionSummary): number {
  const known = widths.get(session);
  if (known !== undefined) return known;
  let width = session.worktree && session.origin ? sign : 0;
  for (let at = 0; at < session.title.length && width < enough; at += 1)
    width += pixelsOf(session.title.charAt(at), session.title.charCodeAt(at));
  widths.set(session, width);
  return width;
}

/** `width`: of the list, in CSS pixels; 0 where nothing has a size. */
export function needsTwoLines(session: SessionSummary, width: number): boolean {
  return width > 0 && widthOf(session) > width - beside;
}
