/**
 * Mermaid, given what a stranger wrote. It draws into the page to measure, in a place that is gone afterwards; what
 * comes of it is a picture, in which nothing runs and which loads nothing. What a diagram says of the looks or the
 * safety of all diagrams doesn't count.
 */
import { t } from "@lingui/core/macro";
import mermaid, { type MermaidConfig } from "mermaid";
import { maxDiagramChars } from "./drawings";

export type Drawing = { url: string; width: number; height: number; words: string };

const maxEdges = 400;
/** A few digits in them stand for any number of boxes, and nothing else here can be stopped while it draws. */
const withoutBound = ["block", "packet"];
const maxWordsChars = 500;
/** In pixels of the picture: nothing to be seen is larger. */
const maxSide = 20_000;

/** What the text of a diagram can't set, at any depth. The rest are sizes and ways of one kind of diagram. */
const ours = [
  ["secure", "securityLevel", "startOnLoad", "maxTextSize", "maxEdges", "suppressErrorRendering", "logLevel"],
  ["htmlLabels", "dompurifyConfig", "arrowMarkerAbsolute", "legacyMathML", "forceLegacyMathML"],
  [
    "theme",
    "themeVariables",
    "themeCSS",
    "darkMode",
    "look",
    "fontFamily",
    "altFontFamily",
    "layout",
    "elk",
    "numIter",
  ],
].flat();

function configured(dark: boolean): MermaidConfig {
  return {
    startOnLoad: false,
    securityLevel: "strict",
    suppressErrorRendering: true,
    secure: ours,
    maxTextSize: maxDiagramChars,
    maxEdges,
    htmlLabels: false,
    flowchart: { htmlLabels: false },
    // What lays them out as a rule, ELK, is left out: see docs/decisions/0047.
    layout: "dagre",
    mindmap: { layout: "cose-bilkent" },
    swimlane: { layout: "swimlane" },
    look: "classic",
    theme: dark ? "dark" : "default",
    fontFamily: "system-ui",
  };
}

let drawn = 0;
let last: Promise<unknown> = Promise.resolve();

/** One after the other: Mermaid has one configuration for all. Rejects where there is no such diagram. */
export function draw(code: string, dark: boolean): Promise<Drawing> {
  const next = last.then(() => drawNow(code, dark));
  last = next.catch(() => undefined);
  return next;
}

/** What took long, all in all: an answer may be full of the slowest diagrams there are. */
let slowMs = 0;
const slowFromMs = 500;
const mostSlowMs = 5_000;

async function drawNow(code: string, dark: boolean): Promise<Drawing> {
  if (slowMs > mostSlowMs) throw new Error(t`those before it took too long`);
  drawn += 1;
  const began = performance.now();
  const place = document.createElement("div");
  place.className = "diagram-measured";
  place.inert = true;
  document.body.append(place);
  try {
    mermaid.initialize(configured(dark));
    const kind = mermaid.detectType(code);
    if (withoutBound.includes(kind)) throw new Error(t`diagrams of the kind “${kind}” can be too large`);
    const { svg } = await mermaid.render(`diagram-${drawn}`, code, place);
    return pictureOf(svg);
  } finally {
    const took = performance.now() - began;
    if (took > slowFromMs) slowMs += took;
    place.remove();
    for (const left of document.querySelectorAll(".mermaidTooltip")) left.remove();
  }
}

/** Read in a document of its own, which runs and loads nothing, and written as the XML that a picture has to be. */
function pictureOf(svg: string): Drawing {
  const root = new DOMParser().parseFromString(svg, "text/html").querySelector("svg");
  if (!root) throw new Error("no picture came of it");
  const [, , width = 0, height = 0] = (root.getAttribute("viewBox") ?? "").split(/[\s,]+/).map(Number);
  const size = { width: bounded(width), height: bounded(height) };
  root.removeAttribute("style");
  root.setAttribute("width", `${size.width}`);
  root.setAttribute("height", `${size.height}`);
  const said = ["title", "desc"].map((name) => root.querySelector(`:scope > ${name}`)?.textContent?.trim());
  const words = said.filter(Boolean).join(". ").slice(0, maxWordsChars);
  const text = new XMLSerializer().serializeToString(root);
  return { ...size, words, url: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}` };
}

const bounded = (side: number) => Math.min(maxSide, Math.max(1, Math.ceil(side) || 1));
