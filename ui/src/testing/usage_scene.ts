/** Two months of work with three models, one of which nobody knows the price of. */
import type { UsageEntry, UsageReport } from "../protocol/generated";

const models = ["openai/gpt-5.1", "anthropic/claude-sonnet-4.5", "lab/qwen3-coder-30b"];
const projects = [
  "/home/ada/code/arki",
  "/home/ada/code/other-repo",
  "/home/ada/code/a-folder-with-a-long-name",
];
const perToken = 2e-6;

export function usageScene(today = "2026-11-22"): UsageReport {
  const entries: UsageEntry[] = [];
  for (let back = 62; back >= 0; back -= 1) {
    const day = new Date(Date.parse(today) - back * 86_400_000);
    // Weekends are quiet.
    if (day.getUTCDay() % 6 === 0) continue;
    const wave = 1 + Math.sin(back / 3) / 2;
    models.forEach((model, place) => {
      if ((back + place) % (place + 1) !== 0) return;
      const promptTokens = Math.round((900_000 * wave) / (place + 1));
      const unknownCost = place === 2;
      entries.push({
        day: day.toISOString().slice(0, 10),
        model,
        project: projects[(back + place) % 3] ?? "",
        requests: Math.round(30 * wave),
        promptTokens,
        completionTokens: Math.round(promptTokens / 20),
        cachedTokens: unknownCost ? 0 : Math.round(promptTokens * 0.7),
        knownCostUsd: unknownCost ? 0 : promptTokens * perToken,
        unknownPrompt: false,
        unknownCompletion: false,
        unknownCached: unknownCost,
        unknownCost,
      });
    });
  }
  return { today, entries };
}
