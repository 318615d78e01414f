import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useCommandKeys, withKeys } from "../../components/command_keys";
import { atLeast, cost, exactCost, tokens } from "../../components/format";
import { useSessionPart } from "../../platform/context";
import type { ModelEntry } from "../../protocol/generated";
import { tokenFigures } from "./token_figures";

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
