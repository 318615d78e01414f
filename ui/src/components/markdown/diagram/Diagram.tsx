import { t } from "@lingui/core/macro";
import { Copy } from "lucide-react";
import { useEffect, useState, useSyncExternalStore } from "react";
import { Button } from "../../Button";
import { CodeBlock } from "../../code/Code";
import { copyText } from "../../copy";
import { IconButton } from "../../IconButton";
import { type Drawing, drawingOf, known } from "./drawings";
import "./diagram.css";

const maxReasonChars = 300;

/** A Mermaid diagram: its code until it is drawn, and where it can't be. */
export function Diagram({ code }: { code: string }) {
  const dark = useDark();
  const [asCode, setAsCode] = useState(false);
  const drawn = useDrawing(code, dark);
  if (drawn === null || "problem" in drawn) {
    return (
      <>
        <CodeBlock code={code} language="mermaid" />
        {drawn && <Problem reason={drawn.problem.slice(0, maxReasonChars)} />}
      </>
    );
  }
  return (
    <div className="diagram">
      <div className="diagram-actions">
        <Button look="quiet" small onClick={() => setAsCode(!asCode)}>
          {asCode ? t`Show diagram` : t`Show code`}
        </Button>
        {!asCode && <IconButton label={t`Copy code`} icon={Copy} onClick={() => copyText(code)} />}
      </div>
      {asCode ? <CodeBlock code={code} language="mermaid" /> : <Picture drawing={drawn} />}
    </div>
  );
}

function Picture({ drawing: { url, width, height, words } }: { drawing: Drawing }) {
  return <img src={url} width={width} height={height} alt={words || t`Diagram`} draggable={false} />;
}

function Problem({ reason }: { reason: string }) {
  if (!reason.includes("\n")) {
    return <p className="secondary small">{t`This diagram can't be drawn: ${reason}`}</p>;
  }
  return (
    <div className="secondary small">
      <p>{t`This diagram can't be drawn:`}</p>
      {/* The parser points at the place from the line below it. */}
      <pre className="diagram-problem">{reason}</pre>
    </div>
  );
}

type Result = Drawing | { problem: string };

/** Null while it is drawn. A picture of the other theme stays until there is one of this. */
function useDrawing(code: string, dark: boolean): Result | null {
  const [drawn, setDrawn] = useState<{ code: string; result: Result } | null>(() => {
    const result = known(code, dark);
    return result && { code, result };
  });
  useEffect(() => {
    let current = true;
    const show = (result: Result) => current && setDrawn({ code, result });
    drawingOf(code, dark).then(show, (error: unknown) => {
      show({ problem: error instanceof Error ? error.message : String(error) });
    });
    return () => {
      current = false;
    };
  }, [code, dark]);
  return drawn?.code === code ? drawn.result : null;
}

/** Whether the window is dark: the user chose it, or the system is and they chose nothing. */
function useDark(): boolean {
  return useSyncExternalStore(subscribe, isDark);
}

const system = () => window.matchMedia("(prefers-color-scheme: dark)");

function isDark(): boolean {
  const { theme } = document.documentElement.dataset;
  return theme === undefined ? system().matches : theme === "dark";
}

function subscribe(tell: () => void): () => void {
  const media = system();
  media.addEventListener("change", tell);
  const observer = new MutationObserver(tell);
  observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  return () => {
    media.removeEventListener("change", tell);
    observer.disconnect();
  };
}
