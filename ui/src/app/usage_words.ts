/** What a session has used so far, in a line. */
import { plural, t } from "@lingui/core/macro";
import { cost } from "../components/format";
import { tokenFigures } from "../features/status/token_figures";
import type { Arki } from "../platform/stores/arki";

export function usageWords(sessionId: string, arki: Arki): string {
  const { usage } = arki.session(sessionId).view.get();
  const requests = plural(usage.requests, { one: "# request", other: "# requests" });
  const used = t`${requests}: ${tokenFigures(usage)}`;
  return usage.costUsd === null ? used : `${used}, ${cost(usage.costUsd)}`;
}
