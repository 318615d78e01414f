/** Syntax colours, found by a worker that starts when the first code shows. */
import { type Language, languageOf } from "./languages";

export type Span = { text: string; color: string | null };
/** What the worker is asked, and answers: null where it could not find out. */
export type Asked = { number: number; code: string; language: Language };
export type Answer = { number: number; lines: Span[][] | null };

/** Code can be written so that a language's expressions try for ever. */
const longestMs = 10_000;

let worker: Worker | null = null;
let asked = 0;
const waiting = new Map<number, (lines: Span[][] | null) => void>();

function begun(): Worker {
  const begins = new Worker(new URL("./highlight_worker.ts", import.meta.url), { type: "module" });
  begins.onmessage = ({ data }: MessageEvent<Answer>) => {
    waiting.get(data.number)?.(data.lines);
    waiting.delete(data.number);
  };
  begins.onerror = giveUp;
  return begins;
}

/** It could not be read or started, or doesn't come to an end: code stays as it is, and the next one tries again. */
function giveUp(): void {
  worker?.terminate();
  worker = null;
  for (const answer of waiting.values()) answer(null);
  waiting.clear();
}

/** One array of spans a line; null where there are no colours to be had. `name`: see [`languageOf`]. */
export function highlight(code: string, name: string): Promise<Span[][] | null> {
  const language = languageOf(name);
  if (language === null) return Promise.resolve(null);
  // Only where tests stand in for the browser.
  if (typeof Worker === "undefined") return Promise.resolve(null);
  worker ??= begun();
  asked += 1;
  const question: Asked = { number: asked, code, language };
  worker.postMessage(question);
  setTimeout(() => waiting.has(question.number) && giveUp(), longestMs);
  return new Promise((resolve) => waiting.set(question.number, resolve));
}
