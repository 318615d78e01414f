import { VisibleText } from "./VisibleText";

/** A command line that wraps between its words only: a flag broken in two reads as another command. */
export function CommandText({ text }: { text: string }) {
  return text.split(/( +|\n)/).map((word, index) =>
    word.trim() === "" ? (
      word
    ) : (
      <span key={`${index}`} className="command-word">
        <VisibleText text={word} />
      </span>
    ),
  );
}
