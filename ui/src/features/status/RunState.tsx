import { t } from "@lingui/core/macro";
import { useCommandKeys, withKeys } from "../../components/command_keys";
import { StateGlyph, stateWords } from "../../components/StateGlyph";
import type { SessionSummary } from "../../protocol/generated";

/** Only what is out of the ordinary: a run that stopped half-way, with the way on. */
export function RunState({ session, onResume }: { session: SessionSummary; onResume: (() => void) | null }) {
  const keys = useCommandKeys();
  if (onResume === null) return null;
  const words = stateWords(session.state);
  return (
    <button
      type="button"
      className="status-button status-attention"
      aria-label={t`Run ${words}: resume it`}
      title={withKeys(t`The run is ${words}. Click to resume it`, keys.resume)}
      onClick={onResume}
    >
      <StateGlyph state={session.state} /> {words}
    </button>
  );
}
