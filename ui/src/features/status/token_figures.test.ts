import { describe, expect, it } from "vitest";
import { noUsage, usageStep } from "../../protocol/usage";
import { eventLog, untoldUsage } from "../../testing/events";
import { tokenFigures } from "./facts";

describe("the figures of tokens", () => {
  it("says of what no provider reported neither zero nor anything else", () => {
    const { events, add } = eventLog("s");
    const figures = () => tokenFigures(events.reduce(usageStep, noUsage));
    add("engine.response", {
      usage: {
        ...untoldUsage,
        promptTokens: 1200,
        completionTokens: null,
        cachedTokens: null,
        costUsd: null,
      },
    });
    expect(figures()).toBe("1,200 in");
    expect(events.reduce(usageStep, noUsage).contextTokens).toBeNull();
    add("engine.response", {
      usage: { ...untoldUsage, promptTokens: 1, completionTokens: 34, cachedTokens: 0, costUsd: null },
    });
    expect(figures()).toBe("1,201 in, at least 34 out");
    add("engine.response", {
      usage: { ...untoldUsage, promptTokens: null, completionTokens: 1, cachedTokens: 40, costUsd: null },
    });
    expect(figures()).toBe("at least 1,201 in (at least 40 cached), at least 35 out");
    expect(
      tokenFigures({ ...noUsage, requests: 1, untold: { prompt: true, completion: true, cached: true } }),
    ).toBe("the provider reported no figures");
  });
});
