/** What a session has used, summed from its engine responses. Pure. An unknown cost stays unknown. */
import type { Event } from "./generated";

export type Usage = {
  promptTokens: number;
  completionTokens: number;
  cachedTokens: number;
  /** What nobody told of some requests: there were more than the figures say. */
  untold: { prompt: boolean; completion: boolean; cached: boolean };
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
  untold: { prompt: false, completion: false, cached: false },
  requests: 0,
  costUsd: 0,
  contextTokens: null,
  model: null,
  contextWindow: null,
};

export function usageStep(usage: Usage, event: Event): Usage {
  // What was asked is spent; how much of it the next request still holds is not known.
  if (event.type === "session.rewound" && event.payload.conversation)
    return { ...usage, contextTokens: null };
  if (event.type === "context.compacted") return { ...usage, contextTokens: event.payload.tokensAfter };
  // A request for a summary says nothing of how full the window is, nor whose.
  if (event.type === "engine.request" && event.payload.purpose) return usage;
  if (event.type === "engine.request") {
    const of = event.payload;
    const model = `${of.provider}/${of.model}`;
    // It is told once, and then only where it is another.
    const known = model === usage.model ? usage.contextWindow : null;
    return { ...usage, model, contextWindow: of.contextWindow ?? known };
  }
  if (event.type !== "engine.response") return usage;
  const told = event.payload.usage;
  const prompt = told.promptTokens ?? 0;
  const completion = told.completionTokens ?? 0;
  const cost = told.costUsd;
  return {
    promptTokens: usage.promptTokens + prompt,
    completionTokens: usage.completionTokens + completion,
    cachedTokens: usage.cachedTokens + (told.cachedTokens ?? 0),
    untold: {
      prompt: usage.untold.prompt || told.promptTokens === null,
      completion: usage.untold.completion || told.completionTokens === null,
      cached: usage.untold.cached || told.cachedTokens === null,
    },
    requests: usage.requests + 1,
    costUsd: usage.costUsd === null || cost === null ? null : usage.costUsd + cost,
    // A part of it would look like the whole.
    contextTokens: event.payload.purpose
      ? usage.contextTokens
      : told.promptTokens === null || told.completionTokens === null
        ? null
        : prompt + completion || usage.contextTokens,
    model: usage.model,
    contextWindow: usage.contextWindow,
  };
}
