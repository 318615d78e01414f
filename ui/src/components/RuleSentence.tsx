import { VisibleText } from "./code/VisibleText";

/** What stands between backticks is code, in which nothing hides. */
export function RuleSentence({ text }: { text: string }) {
  return text.split("`").map((part, place) =>
    place % 2 === 0 ? (
      part
    ) : (
      <code key={`${place}`}>
        <VisibleText text={part} />
      </code>
    ),
  );
}
