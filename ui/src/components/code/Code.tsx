import { t } from "@lingui/core/macro";
import { Copy } from "lucide-react";
import { Fragment } from "react";
import { Button } from "../Button";
import { copyText } from "../copy";
import type { Span } from "./highlight";
import { useHighlight } from "./useHighlight";
import "./code.css";

/** A block of code as it is, coloured when the colours arrive; they never change its size. */
export function CodeBlock({ code, language }: { code: string; language: string }) {
  const spans = useHighlight(code, language);
  return (
    <div className="code-block">
      <Button
        className="code-copy"
        look="quiet"
        small
        label={t`Copy code`}
        icon={<Copy size={14} aria-hidden />}
        onClick={() => copyText(code)}
      />
      <pre tabIndex={0}>
        <code>{spans ? <Lines lines={spans} /> : code}</code>
      </pre>
    </div>
  );
}

function Lines({ lines }: { lines: Span[][] }) {
  return lines.map((line, row) => (
    <Fragment key={`${row}`}>
      {row > 0 && "\n"}
      {line.map((span, column) => (
        <span key={`${column}`} style={span.color ? { color: span.color } : undefined}>
          {span.text}
        </span>
      ))}
    </Fragment>
  ));
}
