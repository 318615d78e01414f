/** As much of a text as fits, cut between what people see as characters: an emoji may be several. Pure. */
export function shorten(text: string, most: number): string {
  let end = 0;
  for (const { index, segment } of new Intl.Segmenter().segment(text)) {
    if (index + segment.length > most) break;
    end = index + segment.length;
  }
  return text.slice(0, end);
}
