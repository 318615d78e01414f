/**
 * KaTeX, given what a stranger wrote: it makes MathML, and nothing that leads anywhere or loads anything. A formula that
 * would take long, or that nobody can read, is refused.
 */
import { t } from "@lingui/core/macro";
import katex from "katex";

/** Own commands can stand for any number of others; what is left grows by what KaTeX itself defines. */
const definition = /\\(?:[egx]?def|(?:re|provide)?(?:new)?command)(?![a-zA-Z])/;
/** What is copied is what is written: nothing in it may be unseen. */
const unseen = /\\[hv]?phantom(?![a-zA-Z])|(?<!\\)%/;
const maxExpansions = 1_000;
const maxLevels = 200;
/** In the size of a letter: a longer space or line is shortened. */
const maxSize = 20;

/** Draws it in `place`; null, or why it can't be drawn. */
export function drawFormula(tex: string, display: boolean, place: HTMLElement): string | null {
  place.replaceChildren();
  const drawn = document.createElement("span");
  try {
    if (definition.test(tex)) return t`it defines commands of its own`;
    if (unseen.test(tex)) return t`a part of it would not be seen`;
    katex.render(tex, drawn, {
      displayMode: display,
      output: "mathml",
      trust: false,
      strict: "ignore",
      throwOnError: true,
      maxExpand: maxExpansions,
      maxSize,
    });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  if (!isShallow(drawn)) return t`it is nested too deeply`;
  place.replaceChildren(...drawn.childNodes);
  return null;
}

/** Level by level: it may be as deep as its text is long. */
function isShallow(root: Element): boolean {
  let level = [root];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxLevels) return false;
    level = level.flatMap((element) => [...element.children]);
  }
  return true;
}
