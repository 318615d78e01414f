/** Longest common subsequence, bounded; and the words that differ between two lines. Pure. */

/** Past this many cells the table costs more than the insight: the middle is taken as all changed. */
const maxCells = 250_000;

/** Pairs of equal positions, ascending in both. Common ends are taken off first. */
export function alignLines(a: readonly string[], b: readonly string[]): [number, number][] {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (
    tail < a.length - head &&
    tail < b.length - head &&
    a[a.length - 1 - tail] === b[b.length - 1 - tail]
  )
    tail += 1;
  const pairs: [number, number][] = [];
  for (let i = 0; i < head; i += 1) pairs.push([i, i]);
  const middle = lcs(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
  for (const [i, j] of middle) pairs.push([i + head, j + head]);
  for (let i = tail; i > 0; i -= 1) pairs.push([a.length - i, b.length - i]);
  return pairs;
}

function lcs(a: readonly string[], b: readonly string[]): [number, number][] {
  const width = b.length + 1;
  if (a.length * b.length > maxCells || a.length === 0 || b.length === 0) return [];
  const table = new Uint32Array((a.length + 1) * width);
  const cell = (i: number, j: number) => table[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      table[i * width + j] =
        a[i] === b[j] ? cell(i + 1, j + 1) + 1 : Math.max(cell(i + 1, j), cell(i, j + 1));
    }
  }
  const pairs: [number, number][] = [];
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) pairs.push([i++, j++]);
    else if (cell(i + 1, j) >= cell(i, j + 1)) i += 1;
    else j += 1;
  }
  return pairs;
}

export type Range = readonly [start: number, end: number];

const words = /[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu;
/** Lines less alike than this are simply different; marking every other word would be noise. */
const minAlike = 0.35;

/** The changed ranges of each line, or null where the lines have too little in common. */
export function changedWords(before: string, after: string): { before: Range[]; after: Range[] } | null {
  if (before.length > 2000 || after.length > 2000) return null;
  const a = before.match(words) ?? [];
  const b = after.match(words) ?? [];
  const same = alignLines(a, b);
  const alike = same.reduce((sum, [i]) => sum + (a[i]?.trim().length ?? 0), 0);
  const longest = Math.max(before.replace(/\s/g, "").length, after.replace(/\s/g, "").length);
  if (longest === 0 || alike / longest < minAlike) return null;
  return { before: gaps(a, new Set(same.map(([i]) => i))), after: gaps(b, new Set(same.map(([, j]) => j))) };
}

function gaps(tokens: readonly string[], kept: ReadonlySet<number>): Range[] {
  const ranges: [number, number][] = [];
  let at = 0;
  tokens.forEach((token, index) => {
    const last = ranges.at(-1);
    if (!kept.has(index)) {
      if (last && last[1] === at) last[1] = at + token.length;
      else ranges.push([at, at + token.length]);
    }
    at += token.length;
  });
  return ranges;
}
