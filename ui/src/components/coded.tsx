import type { ReactNode } from "react";

/** A sentence in which what stands between backticks is code. */
export function coded(sentence: string, code: (text: string) => ReactNode): ReactNode {
  return sentence
    .split("`")
    .map((part, place) => (place % 2 === 0 ? part : <code key={`${place}`}>{code(part)}</code>));
}
