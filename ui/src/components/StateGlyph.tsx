import type { SessionState } from "../protocol/generated";

const glyphs: Record<SessionState, { sign: string; words: string }> = {
  idle: { sign: "○", words: "not started" },
  running: { sign: "◐", words: "running" },
  waiting: { sign: "!", words: "waiting for you" },
  paused: { sign: "‖", words: "paused" },
  done: { sign: "✓", words: "done" },
  failed: { sign: "✕", words: "failed" },
  cancelled: { sign: "–", words: "stopped" },
  interrupted: { sign: "↯", words: "interrupted" },
};

export const stateWords = (state: SessionState) => glyphs[state]?.words ?? state;

/** A session's state as a shape; the words are for whoever cannot see it. Never by colour alone. */
export function StateGlyph({ state }: { state: SessionState }) {
  const glyph = glyphs[state] ?? glyphs.idle;
  return (
    <span className={`glyph glyph-${state}`} aria-hidden title={glyph.words}>
      {glyph.sign}
    </span>
  );
}
