import { t } from "@lingui/core/macro";
import { useLayoutEffect, useRef, useState } from "react";
import { maxFormulaChars } from "../math";
import type { drawFormula } from "./render";
import "./formula.css";

type Props = { tex: string; source: string; display: boolean };

let draw: typeof drawFormula | null = null;

/**
 * A formula, as its source until it is drawn and where it can't be. The source stays in the page: it is what is copied.
 */
export function Formula({ tex, source, display }: Props) {
  const place = useRef<HTMLSpanElement>(null);
  const [state, setState] = useState<{ drawn: boolean; problem: string | null }>({
    drawn: false,
    problem: null,
  });
  useLayoutEffect(() => {
    if (tex.length > maxFormulaChars) return;
    let current = true;
    const show = (drawIt: typeof drawFormula) => {
      if (!current || place.current === null) return;
      const problem = drawIt(tex, display, place.current);
      setState({ drawn: problem === null, problem });
    };
    if (draw) show(draw);
    else {
      const come = import("./render").then((part) => {
        draw = part.drawFormula;
        show(part.drawFormula);
      });
      // The source stays, and the next formula tries again.
      come.catch(() => undefined);
    }
    return () => {
      current = false;
    };
  }, [tex, display]);
  const problem = state.problem?.slice(0, 200);
  const looks = ["formula", display && "formula-display", state.drawn && "formula-drawn"];
  return (
    <span className={looks.filter(Boolean).join(" ")}>
      <code
        className="formula-source"
        aria-hidden={state.drawn || undefined}
        title={problem && t`This formula can't be shown: ${problem}`}
      >
        {source}
      </code>
      <span ref={place} className="formula-math" tabIndex={display && state.drawn ? 0 : undefined} />
    </span>
  );
}
