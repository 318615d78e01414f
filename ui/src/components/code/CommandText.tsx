import type { ReactNode } from "react";
import { commandParts } from "./command_parts";
import { useHighlight } from "./useHighlight";
import { VisibleText } from "./VisibleText";
import "./code.css";

/**
 * A command line in colours. It wraps between its words only, as a flag broken in two reads as another command; a long
 * one has each of its parts on a line of its own. That is only seen: what is copied is the line as it is.
 */
export function CommandText({ text }: { text: string }) {
  const lines = useHighlight(text, "bash");
  const runs = coloured(text, lines?.flatMap((line, at) => (at > 0 ? [newline, ...line] : line)) ?? []);
  let at = 0;
  return commandParts(text).map((part, row) => {
    const from = at;
    at += part.length;
    return (
      <span key={`${row}`} className={row > 0 ? "command-part" : undefined}>
        {wordsOf(part, from, runs)}
      </span>
    );
  });
}

/** Where a colour ends. */
type Run = { end: number; color: string | null };

const newline = { text: "\n", color: null };

function coloured(text: string, spans: readonly { text: string; color: string | null }[]): Run[] {
  let end = 0;
  const runs = spans.map((span) => {
    end += span.text.length;
    return { end, color: span.color };
  });
  // Colours of another text would be at the wrong places.
  return end === text.length ? runs : [{ end: text.length, color: null }];
}

function wordsOf(part: string, from: number, runs: readonly Run[]): ReactNode[] {
  let at = from;
  return part.split(/( +|\n)/).map((word, index) => {
    const start = at;
    at += word.length;
    if (word.trim() === "") return word;
    return (
      <span key={`${index}`} className="command-word">
        {piecesOf(word, start, runs).map(({ text, color, offset }) => (
          <span key={offset} style={color ? { color } : undefined}>
            <VisibleText text={text} line={word} offset={offset} />
          </span>
        ))}
      </span>
    );
  });
}

function piecesOf(word: string, start: number, runs: readonly Run[]) {
  const pieces: { text: string; color: string | null; offset: number }[] = [];
  let at = start;
  for (const { end, color } of runs) {
    if (end <= at) continue;
    const to = Math.min(end, start + word.length);
    if (to === at) break;
    pieces.push({ text: word.slice(at - start, to - start), color, offset: at - start });
    at = to;
  }
  return pieces;
}
