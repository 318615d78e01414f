/** A shell line in the parts that are joined by `;`, `&&`, `||` and `|`, to be shown one below the other. Pure. */

/** A shorter line is read at a glance. */
const shortest = 60;

/** A quoted text, an escaped character, a redirection over a file, a joint, a bracket, or the start of a word. */
const signs = /'[^']*'|"(?:\\[\s\S]|[^"\\])*"|\\[\s\S]|>\||&&|\|\|?&?|;;?[&;]?|[()`]|(?:^|\s)#[^\n]*/g;

/**
 * The parts of a long line; joined, they are the line. One part where there is nothing to divide, or where a line has
 * lines of its own. What is in quotes and brackets stays together.
 */
export function commandParts(command: string): string[] {
  if (command.length < shortest || command.includes("\n")) return [command];
  const parts: string[] = [];
  let from = 0;
  let depth = 0;
  const cut = (at: number) => {
    if (command.slice(from, at).trim() !== "") parts.push(command.slice(from, at));
    else if (parts.length > 0) parts[parts.length - 1] += command.slice(from, at);
    else return;
    from = at;
  };
  for (const { 0: sign, index } of command.matchAll(signs)) {
    if (sign === "`") depth = depth > 0 ? depth - 1 : depth + 1;
    else if (sign === "(") depth += 1;
    else if (sign === ")") depth = Math.max(0, depth - 1);
    else if (depth > 0) continue;
    else if (sign === ";") cut(index + (/\s/.test(command[index + 1] ?? "") ? 2 : 1));
    else if (/^(&&|\|)/.test(sign)) cut(index);
  }
  if (from < command.length) parts.push(command.slice(from));
  return parts;
}
