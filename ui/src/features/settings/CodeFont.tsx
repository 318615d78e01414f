/** The family that code is shown in, by its name. It holds as soon as it names one that is installed. */
import { t } from "@lingui/core/macro";
import { useId, useState } from "react";
import { isFontName } from "./themes";

/** Letters that are easily taken for others. */
const sample = "0O 1lI {}[] -> !=";

type Props = { title: string; font: string; onFont: (name: string) => void };

export function CodeFont({ title, font, onFont }: Props) {
  const [typed, setTyped] = useState(font);
  const id = useId();
  const fault = faultOf(typed.trim());
  const change = (text: string) => {
    setTyped(text);
    const name = text.trim();
    onFont(faultOf(name) === null ? name : "");
  };
  return (
    <div className="choices">
      <label htmlFor={id} className="choices-title">
        {title}
      </label>
      <input
        id={id}
        className="field"
        value={typed}
        placeholder={t`The system's`}
        spellCheck={false}
        autoComplete="off"
        aria-invalid={fault !== null}
        aria-describedby={`${id}-about`}
        onChange={(event) => change(event.target.value)}
      />
      <p id={`${id}-about`} className="small secondary" role="status">
        {fault}
      </p>
      <code aria-hidden>{sample}</code>
    </div>
  );
}

function faultOf(name: string): string | null {
  if (name === "") return null;
  if (!isFontName(name))
    return t`Use letters, digits, spaces and . _ + - only. Code is in the system's font.`;
  return isInstalled(name) ? null : t`No font with this name is installed. Code is in the system's font.`;
}

/** Told by how wide words get: nothing says which fonts there are. */
function isInstalled(name: string): boolean {
  const pen = document.createElement("canvas").getContext("2d");
  if (!pen) return true;
  const widthIn = (families: string) => {
    pen.font = `40px ${families}`;
    return pen.measureText(sample).width;
  };
  return ["monospace", "serif"].some((other) => widthIn(`"${name}", ${other}`) !== widthIn(other));
}
