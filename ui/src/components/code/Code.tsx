import { t } from "@lingui/core/macro";
import { Copy, WrapText } from "lucide-react";
import { Fragment, memo, type ReactNode, useState } from "react";
import { copyText } from "../copy";
import { IconButton } from "../IconButton";
import { Near } from "../near";
import type { Span } from "./highlight";
import { inOrder } from "./in_order";
import { useHighlight } from "./useHighlight";
import "./code.css";

/** A block of code as it is, coloured when the colours arrive; they never change its size. */
export function CodeBlock({ code, language }: { code: string; language: string }) {
  const spans = useHighlight(code, language);
  return (
    <CodeFrame language={language} whole={() => code}>
      {() => <code>{spans ? <Lines lines={spans} /> : inOrder(code)}</code>}
    </CodeFrame>
  );
}

function Lines({ lines }: { lines: Span[][] }) {
  return lines.map((line, row) => (
    <Fragment key={`${row}`}>
      {row > 0 && "\n"}
      {line.map((span, column) => (
        <span key={`${column}`} style={span.color ? { color: span.color } : undefined}>
          {inOrder(span.text)}
        </span>
      ))}
    </Fragment>
  ));
}

/** What a language may be called: what else stands at a fence is not shown as if Arki said it. */
const languageName = /^[\w.+#-]{1,24}$/;

type FrameProps = {
  /** As it stands at the fence; empty where it doesn't. */
  language: string;
  whole: () => string;
  children: (wraps: boolean) => ReactNode;
};

/** What is around code: the language that it says it is in, and buttons to wrap its lines and to copy it. */
function CodeFrame({ language: told, whole, children }: FrameProps) {
  const language = languageName.test(told) ? told : "";
  const [wraps, setWraps] = useState(false);
  return (
    <div className={wraps ? "code-block wraps" : "code-block"}>
      <div className={language === "" ? "code-head bare" : "code-head"}>
        {language !== "" && <span className="small secondary cut grow">{language}</span>}
        <IconButton
          label={t`Wrap lines`}
          aria-pressed={wraps}
          icon={WrapText}
          onClick={() => setWraps(!wraps)}
        />
        <IconButton label={t`Copy code`} icon={Copy} onClick={() => copyText(whole())} />
      </div>
      <pre tabIndex={0} role="group" aria-label={t`Code`}>
        {children(wraps)}
      </pre>
    </div>
  );
}

/** In chunks, of which only the last one changes. */
type CodeLines = {
  readonly chunks: readonly string[];
  readonly linesAChunk: number;
  readonly width: number;
  whole: () => string;
};

type LinesProps = { language: string; text: CodeLines; tail: string; lines: number };

/** Drawn at once: what is arriving is at the end. */
const chunksAtFirst = 3;

/** Code that is long or still arriving: lines are drawn where they are seen, and each piece of them once. */
export function LinesOfCode({ language, text, tail, lines }: LinesProps) {
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
