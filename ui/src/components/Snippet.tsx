import type { SnippetPart } from "../protocol/generated";
import { VisibleText } from "./code/VisibleText";

/** A piece of text that a search found, with what was looked for marked. */
export function Snippet({ parts }: { parts: readonly SnippetPart[] }) {
  return parts.map((part, place) =>
    part.hit ? (
      <mark key={`${place}`}>
        <VisibleText text={part.text} />
      </mark>
    ) : (
      <VisibleText key={`${place}`} text={part.text} />
    ),
  );
}
