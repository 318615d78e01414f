/**
 * A text area for code that keeps its colours: the coloured text lies under the one that is typed, which can't be seen.
 * Both are drawn in one frame, which scrolls.
 */
import { type ComponentProps, useState } from "react";
import type { Span } from "./highlight";
import { recoloured } from "./recolour";
import { useHighlight } from "./useHighlight";
import "./code_field.css";

type Props = Omit<ComponentProps<"textarea">, "value"> & {
  value: string;
  /** By its name the language is known. */
  name: string;
};

export function CodeField({ value, name, ...area }: Props) {
  const lines = useSteadyColours(value, name);
  return (
    <div className="code-field" dir="ltr">
      <div className="code-sheet">
        <pre aria-hidden>
          {lines.map((spans, row) => (
            <span className="code-line" key={`${row}`}>
              {spans.map((span, at) => (
                <span key={`${at}`} style={span.color ? { color: span.color } : undefined}>
                  {span.text}
                </span>
              ))}
            </span>
          ))}
        </pre>
        <textarea className="code-area" value={value} spellCheck={false} {...area} />
      </div>
    </div>
  );
}

/** While new colours are on their way, what was not typed just now keeps the ones that it had. */
function useSteadyColours(code: string, name: string): Span[][] {
  const spans = useHighlight(code, name);
  const [last, setLast] = useState<Span[][]>([]);
  if (spans && spans !== last) setLast(spans);
  return spans ?? recoloured(last, code);
}
