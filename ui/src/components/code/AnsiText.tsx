import { ansiRuns } from "./ansi";
import { VisibleText } from "./VisibleText";
import "./ansi.css";

/** What a command printed, in its colours. Nothing in it hides, and what is copied is plain text. */
export function AnsiText({ text }: { text: string }) {
  const runs = ansiRuns(text);
  return runs.map(({ text, classes }, index) => {
    // Runs of one text never reorder, so their position is their identity.
    const key = `${index}`;
    // Spaces are at the end of a line only where nothing follows.
    const shown = <VisibleText key={key} text={text} line={index < runs.length - 1 ? `${text}.` : text} />;
    if (classes === "") return shown;
    return (
      <span key={key} className={`ansi ${classes}`}>
        {shown}
      </span>
    );
  });
}
