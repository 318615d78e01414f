/** What a session has used, summed from its engine responses. Pure. An unknown cost stays unknown. */
import type { Event } from "./generated";
import { flag, maybeNumber, payloadOf, record, text } from "./read";

export type Usage = {
  promptTokens: number;
  completionTokens: number;
  cachedTokens: number;
  requests: number;
  /** Null as soon as one request's cost is unknown: a partial sum would look like the whole. */
  costUsd: number | null;
  /** Tokens of the last request: how full the context is. */
  contextTokens: number | null;
  /** The model of the last request, with its provider. */
  model: string | null;
  /** What that model can hold; null where that is only assumed. */
  contextWindow: number | null;
};

export const noUsage: Usage = {
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  requests: 0,
  costUsd: 0,
  contextTokens: null,
  model: null,
  contextWindow: null,
};

export function usageStep(usage: Usage, event: Event): Usage {
  // What was asked is spent; how much of it the next request still holds is not known.
  if (event.type === "session.rewound" && flag(payloadOf(event), "conversation"))
    return { ...usage, contextTokens: null };
  if (event.type === "engine.request") {
    const of = payloadOf(event);
    const model = `${text(of, "provider")}/${text(of, "model")}`;
    // It is told once, and then only where it is another.
    const known = model === usage.model ? usage.contextWindow : null;
    return { ...usage, model, contextWindow: maybeNumber(of, "contextWindow") ?? known };
  }
  if (event.type !== "engine.response") return usage;
  const of = record(payloadOf(event).usage);
  const prompt = maybeNumber(of, "promptTokens") ?? 0;
  const completion = maybeNumber(of, "completionTokens") ?? 0;
  const cost = maybeNumber(of, "costUsd");
  return {
    promptTokens: usage.promptTokens + prompt,
    completionTokens: usage.completionTokens + completion,
    cachedTokens: usage.cachedTokens + (maybeNumber(of, "cachedTokens") ?? 0),
    requests: usage.requests + 1,
    costUsd: usage.costUsd === null || cost === null ? null : usage.costUsd + cost,
    contextTokens: prompt + completion > 0 ? prompt + completion : usage.contextTokens,
    model: usage.model,
    contextWindow: usage.contextWindow,
  };
}
