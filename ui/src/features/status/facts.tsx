/** The facts of the status bar that are not there before the first content: nothing is used yet, no run is resumed, no update known. */
import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { ShieldCheck, ShieldOff } from "lucide-react";
import { useId } from "react";
import { visibleWords } from "../../components/code/invisible";
import { useCommandKeys, withKeys } from "../../components/command_keys";
import { atLeast, cost, exact, exactCost, tokens } from "../../components/format";
import { StateGlyph, stateWords } from "../../components/StateGlyph";
import { sandboxWords } from "../../components/sandbox_words";
import { useArki, useSessionPart } from "../../platform/context";
import { useStore } from "../../platform/stores/store";
import type { ModelEntry, SessionSummary } from "../../protocol/generated";
import type { Usage } from "../../protocol/usage";

type Props = {
  sessionId: string;
  model: ModelEntry | null;
  onContext: () => void;
  onUsage: () => void;
};

/** Counted from the loaded part of the session: what is not loaded shows as "at least". */
export function Used({ sessionId, model, onContext, onUsage }: Props) {
  const usage = useSessionPart(sessionId, (view) => view.usage);
  const window = useSessionPart(sessionId, (view) => view.window);
  const keys = useCommandKeys();
  if (usage.requests === 0) return null;
  const total = usage.promptTokens + usage.completionTokens;
  const part = window.hasOlder || window.hasNewer;
  const untold = usage.untold.prompt || usage.untold.completion;
  const all = untold
    ? t`At least ${plural(total, { one: "# token", other: "# tokens" })}`
    : plural(total, { one: "# token", other: "# tokens" });
  const requests = plural(usage.requests, { one: "# request", other: "# requests" });
  const exact = `${t`${all} in ${requests}: ${tokenFigures(usage)}`}${part ? t`, in the part of this session that is loaded` : ""}`;
  // Of a window that is only assumed no share is told.
  const listed = model?.contextWindowAssumed ? null : (model?.contextWindow ?? null);
  const contextWindow = usage.contextWindow ?? listed;
  const full =
    contextWindow && usage.contextTokens
      ? Math.min(100, Math.round((usage.contextTokens / contextWindow) * 100))
      : null;
  return (
    <>
      {full !== null && (
        <button
          type="button"
          className="status-button"
          title={withKeys(
            t`The last request filled ${full} % of the model's context. Click for its parts`,
            keys.context,
          )}
          onClick={onContext}
        >
          <Trans>ctx {full === 0 ? "< 1" : full} %</Trans>
        </button>
      )}
      <span className="status-fact status-usual" title={exact}>
        <Trans>{part || untold ? atLeast(tokens(total)) : tokens(total)} tok</Trans>
      </span>
      {usage.costUsd !== null && (
        <button
          type="button"
          className="status-button"
          title={t`${exactCost(usage.costUsd)}. Click for the usage of all sessions`}
          onClick={onUsage}
        >
          {part ? atLeast(cost(usage.costUsd)) : cost(usage.costUsd)}
        </button>
      )}
    </>
  );
}

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

/** A shield, with its details for who points at it or comes to it by key. */
export function Sandbox({ name }: { name: string }) {
  const details = useId();
  const none = name === "none";
  const words = none
    ? t`No sandbox: Arki asks before every command`
    : t`Commands are confined by ${sandboxWords(name)}`;
  const Shield = none ? ShieldOff : ShieldCheck;
  return (
    <span className="status-shield">
      <button
        type="button"
        className={none ? "status-button status-attention" : "status-button"}
        aria-label={t`Sandbox`}
        aria-describedby={details}
      >
        <Shield size={14} aria-hidden />
      </button>
      <span id={details} role="tooltip" className="menu status-details">
        {words}
      </span>
    </span>
  );
}

/** Only while there is a newer version. */
export function UpdateButton({ onUpdate }: { onUpdate: () => void }) {
  const step = useStore(useArki().updates.state);
  const version =
    step.at === "found"
      ? step.update.type === "available"
        ? step.update.version
        : null
      : step.at === "installed"
        ? step.version
        : null;
  if (version === null) return null;
  return (
    <button type="button" className="status-button" onClick={onUpdate}>
      {step.at === "installed" ? t`Restart to update` : t`Update to ${visibleWords(version)}`}
    </button>
  );
}

/** Each figure that a provider reported: "1,200 in (40 cached), 34 out". */
export function tokenFigures(usage: Usage): string {
  const figure = (tokens: number, untold: boolean, of: string) =>
    untold && tokens === 0 ? null : untold ? t`at least ${of}` : of;
  const cached = figure(usage.cachedTokens, usage.untold.cached, t`${exact(usage.cachedTokens)} cached`);
  const prompt = figure(usage.promptTokens, usage.untold.prompt, t`${exact(usage.promptTokens)} in`);
  const parts = [
    prompt && cached ? `${prompt} (${cached})` : prompt,
    figure(usage.completionTokens, usage.untold.completion, t`${exact(usage.completionTokens)} out`),
  ];
  return parts.filter(Boolean).join(", ") || t`the provider reported no figures`;
}
