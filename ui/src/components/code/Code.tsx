import { Fragment } from "react";
import { CodeFrame } from "./CodeFrame";
import type { Span } from "./highlight";
import { inOrder } from "./in_order";
import { useHighlight } from "./useHighlight";

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
