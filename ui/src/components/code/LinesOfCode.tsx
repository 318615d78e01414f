/** Code that is long or still arriving: lines are drawn where they are seen, and each piece of them once. */
import { memo } from "react";
import { Near } from "../near";
import { CodeFrame } from "./CodeFrame";
import { inOrder } from "./in_order";

/** In chunks, of which only the last one changes. */
export type CodeLines = {
  readonly chunks: readonly string[];
  readonly linesAChunk: number;
  readonly width: number;
  whole: () => string;
};

type Props = { language: string; text: CodeLines; tail: string; lines: number };

/** Drawn at once: what is arriving is at the end. */
const chunksAtFirst = 3;

export function LinesOfCode({ language, text, tail, lines }: Props) {
  const { chunks, linesAChunk } = text;
  const last = chunks.length - 1;
  return (
    <CodeFrame language={language} whole={() => text.whole()}>
      {(wraps) => (
        <code className="code-lines" style={wraps ? undefined : { minWidth: `${text.width}ch` }}>
          {chunks.map((chunk, at) => (
            <Chunk
              key={`${at}`}
              text={chunk}
              lines={at < last ? linesAChunk : lines - last * linesAChunk}
              atFirst={at > last - chunksAtFirst}
            />
          ))}
          {inOrder(tail)}
        </code>
      )}
    </CodeFrame>
  );
}

const Chunk = memo(
  ({ text, lines, atFirst }: { text: string; lines: number; atFirst: boolean }) => (
    <Near height={`calc(var(--leading-code) * ${lines})`} atFirst={atFirst}>
      {() => inOrder(text)}
    </Near>
  ),
  (a, b) => a.text === b.text,
);
