import { ErrorNote } from "../../components/ErrorNote";

type Props = {
  title: string;
  state: "ok" | "failed" | "skipped";
  durationMs: number;
  message: string;
  code: string | null;
  hint: string | null;
};

const glyphs = { ok: "✓", failed: "✕", skipped: "–" };
const states = { ok: "", failed: "failed: ", skipped: "skipped: " };

/** One step of a test, as it ended; the step that failed says what to do. */
export function TestStep({ title, state, durationMs, message, code, hint }: Props) {
  return (
    <li className="test-step">
      <span className={state} aria-hidden>
        {glyphs[state]}
      </span>
      <span>{title}</span>
      <span className={state === "skipped" ? "secondary" : undefined}>
        <span className="sr-only">{states[state]}</span>
        {state !== "failed" && message}
      </span>
      <span className="small secondary">{durationMs} ms</span>
      {state === "failed" && <ErrorNote error={{ code: code ?? "", message, hint: hint ?? "" }} />}
    </li>
  );
}

/** The last line of a test that goes on. */
export function Testing() {
  return (
    <li className="test-step secondary">
      <span aria-hidden>◐</span>
      <span>Testing…</span>
    </li>
  );
}
