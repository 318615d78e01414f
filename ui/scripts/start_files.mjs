/**
 * The scripts that the window reads at its start: `src/main.tsx`, and whatever one of them imports by statement. What is
 * imported only when it is needed, and what is imported for its types alone, is not among them.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const statement = /^(?:import|export)\s+(?!type\b)(?:[^"';]*?\sfrom\s+)?"(\.[^"]+)"/gm;
const endings = ["", ".ts", ".tsx"];

/** Their paths below `root`, with "/". */
export function startFiles(root) {
  const found = new Set();
  const toRead = [join(root, "src/main.tsx")];
  while (toRead.length > 0) {
    const file = toRead.pop();
    if (found.has(file)) continue;
    found.add(file);
    for (const [, name] of readFileSync(file, "utf8").matchAll(statement)) {
      const base = join(dirname(file), name);
      const script = endings
        .map((ending) => base + ending)
        .find((path) => /\.tsx?$/.test(path) && existsSync(path));
      if (script) toRead.push(script);
    }
  }
  return [...found].map((file) => relative(root, file).replaceAll("\\", "/")).sort();
}
