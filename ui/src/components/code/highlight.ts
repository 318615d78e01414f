/** Syntax colours, found by a worker that starts when the first code shows. */
import type { Language } from "./languages";

export type Span = { text: string; color: string | null };
/** What the worker is asked, and answers: null where it could not find out. */
export type Asked = { number: number; code: string; language: Language };
export type Answer = { number: number; lines: Span[][] | null };

/** Past this a file is shown plain: so many coloured words are not worth what they take to draw. */
export const maxHighlightChars = 60_000;

let worker: Worker | null = null;
let asked = 0;
const waiting = new Map<number, (lines: Span[][] | null) => void>();

function begun(): Worker {
  const begins = new Worker(new URL("./highlight_worker.ts", import.meta.url), { type: "module" });
  begins.onmessage = ({ data }: MessageEvent<Answer>) => {
    waiting.get(data.number)?.(data.lines);
    waiting.delete(data.number);
  };
  // It could not be read or started: code stays as it is, and the next one tries again.
  begins.onerror = () => {
    worker = null;
    for (const answer of waiting.values()) answer(null);
    waiting.clear();
  };
  return begins;
}

/** One array of spans a line; null where there are no colours to be had. */
export function highlight(code: string, language: Language): Promise<Span[][] | null> {
  // Only where tests stand in for the browser.
  if (typeof Worker === "undefined") return Promise.resolve(null);
  worker ??= begun();
  asked += 1;
  const question: Asked = { number: asked, code, language };
  worker.postMessage(question);
  return new Promise((resolve) => waiting.set(question.number, resolve));
}
