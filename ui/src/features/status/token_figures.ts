import { t } from "@lingui/core/macro";
import { exact } from "../../components/format";
import type { Usage } from "../../protocol/usage";

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
