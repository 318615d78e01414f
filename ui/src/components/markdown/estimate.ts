/** How high a group will be about, as a style sheet says it: until it is drawn, it keeps the place of as much. */
import type { Block, Group } from "./blocks";

const lineChars = 75;

function lines(block: Block): number {
  switch (block.kind) {
    case "code":
      return block.lines + 2;
    case "table":
      return 1.5 * Math.min(block.lines + 1, 100);
    case "list":
      return block.items.reduce((sum, [text]) => sum + textLines(text), 0);
    case "formula":
      return 3;
    case "flow":
      return 0.5 + textLines(block.pieces[0]);
  }
}

const textLines = (text = "") => Math.ceil(text.length / lineChars);

export function estimated(group: Group): string {
  const sum = group.blocks.reduce((height, block) => height + lines(block), 0);
  return `calc(var(--leading) * ${Math.ceil(sum)})`;
}
