/** Code that is long or still arriving: lines are drawn where they are seen, and each piece of them once. */
import { t } from "@lingui/core/macro";
import { Copy } from "lucide-react";
import { memo } from "react";
import { Button } from "../Button";
import { copyText } from "../copy";
import { Near } from "../near";
import "./code.css";

/** In chunks, of which only the last one changes. */
export type CodeLines = {
  readonly chunks: readonly string[];
  readonly linesAChunk: number;
  readonly width: number;
  whole: () => string;
};

type Props = { text: CodeLines; tail: string; lines: number };

/** Drawn at once: what is arriving is at the end. */
const chunksAtFirst = 3;

export function LinesOfCode({ text, tail, lines }: Props) {
  const { chunks, linesAChunk } = text;
  const last = chunks.length - 1;
  return (
    <div className="code-block">
      <Button
        className="code-copy"
        look="quiet"
        small
        label={t`Copy code`}
        icon={<Copy size={14} aria-hidden />}
        onClick={() => copyText(text.whole())}
      />
      <pre tabIndex={0}>
        <code className="code-lines" style={{ minWidth: `${text.width}ch` }}>
          {chunks.map((chunk, at) => (
            <Chunk
              key={`${at}`}
              text={chunk}
              lines={at < last ? linesAChunk : lines - last * linesAChunk}
              atFirst={at > last - chunksAtFirst}
            />
          ))}
          {tail}
        </code>
      </pre>
    </div>
  );
}

const Chunk = memo(
  ({ text, lines, atFirst }: { text: string; lines: number; atFirst: boolean }) => (
    <Near height={`calc(var(--leading-code) * ${lines})`} atFirst={atFirst}>
      {() => text}
    </Near>
  ),
  (a, b) => a.text === b.text,
);
