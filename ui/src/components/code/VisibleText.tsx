import { t } from "@lingui/core/macro";
import { codePoint, pieces, trailingStart } from "./invisible";
import "./code.css";

type Props = { text: string; line?: string; offset?: number };

/** Text in which nothing hides. `line` and `offset` say where in its line a fragment stands. */
export function VisibleText({ text, line = text, offset = 0 }: Props) {
  return pieces(text, trailingStart(line), offset).map((piece, index) => {
    // Pieces of one text never reorder, so their position is their identity.
    const key = `${index}`;
    if (piece.kind === "text") return piece.text;
    if (piece.kind === "boxed") return <Boxed key={key} char={piece.text} />;
    return (
      <span key={key} className={piece.kind === "tab" ? "inv inv-tab" : "inv inv-space"}>
        {piece.text}
      </span>
    );
  });
}

/** A character that shows nothing by itself. */
export function Boxed({ char }: { char: string }) {
  return (
    <span className="boxed" title={t`Invisible character ${codePoint(char)}`}>
      {codePoint(char)}
    </span>
  );
}
