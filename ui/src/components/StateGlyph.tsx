import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { SessionState } from "../protocol/generated";

const glyphs: Record<SessionState, { sign: string; words: MessageDescriptor }> = {
  idle: { sign: "○", words: msg`not started` },
  running: { sign: "◐", words: msg`running` },
  waiting: { sign: "!", words: msg`waiting for you` },
  paused: { sign: "‖", words: msg`paused` },
  done: { sign: "✓", words: msg`done` },
  failed: { sign: "✕", words: msg`failed` },
  cancelled: { sign: "–", words: msg`stopped` },
  interrupted: { sign: "↯", words: msg`interrupted` },
};

export const stateWords = (state: SessionState) => (glyphs[state] ? i18n._(glyphs[state].words) : state);

const marked: readonly SessionState[] = ["running", "waiting", "failed", "paused", "interrupted"];

/** Only what wants to be looked at has a mark in a list of sessions. */
export const isMarked = (state: SessionState) => marked.includes(state);

/** A session's state as a shape; the words are for whoever cannot see it. Never by colour alone. */
export function StateGlyph({ state }: { state: SessionState }) {
  const glyph = glyphs[state] ?? glyphs.idle;
  return (
    <span className={`glyph glyph-${state}`} aria-hidden title={i18n._(glyph.words)}>
      {glyph.sign}
    </span>
  );
}
