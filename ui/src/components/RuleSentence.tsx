import { VisibleText } from "./code/VisibleText";
import { coded } from "./coded";

/** What stands between backticks is code, in which nothing hides. */
export function RuleSentence({ text }: { text: string }) {
  return coded(text, (part) => <VisibleText text={part} />);
}
