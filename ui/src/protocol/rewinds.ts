/**
 * Which events still count after going back, and going back on that. A rewind makes things stand as they did right
 * after its `toSeq`: what was taken back at that moment is taken back again, what counted then counts again. Pure.
 */
export type Rewind = { seq: number; toSeq: number };

export function isTakenBack(rewinds: readonly Rewind[], seq: number): boolean {
  let end = Number.POSITIVE_INFINITY;
  for (const rewind of rewinds.toReversed()) {
    // A later rewind has taken this one back.
    if (rewind.seq > end) continue;
    if (seq >= rewind.seq) break;
    end = rewind.toSeq;
  }
  return seq > end;
}
