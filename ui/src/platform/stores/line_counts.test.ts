import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Platform } from "../platform";
import { createLineCounts } from "./line_counts";

describe("how many lines sessions changed", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("is asked for once the list rests, once for each, and draws nothing anew where there is nothing", async () => {
    const answers = [[], [{ sessionId: "c", files: 1, added: 2, removed: 0 }]];
    const call = vi.fn(async (_command: string, _given: unknown) => answers.shift());
    const counts = createLineCounts({ call } as unknown as Platform);
    const heard = vi.fn();
    counts.store.subscribe(heard);
    counts.want(["a"]);
    await vi.advanceTimersByTimeAsync(100);
    counts.want(["a", "b"]);
    await vi.advanceTimersByTimeAsync(100);
    expect(call).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(100);
    expect(call.mock.calls).toEqual([["session_lines", { sessionIds: ["a", "b"] }]]);
    expect(heard).not.toHaveBeenCalled();
    counts.want(["b", "c"]);
    await vi.advanceTimersByTimeAsync(200);
    expect(call.mock.calls[1]).toEqual(["session_lines", { sessionIds: ["c"] }]);
    expect(heard).toHaveBeenCalledTimes(1);
    expect(counts.store.get().get("c")?.added).toBe(2);
  });

  it("is asked for in time however often the same rows are drawn", async () => {
    const call = vi.fn(async () => []);
    const counts = createLineCounts({ call } as unknown as Platform);
    for (let drawn = 0; drawn < 10; drawn += 1) {
      counts.want(["a"]);
      await vi.advanceTimersByTimeAsync(50);
    }
    expect(call).toHaveBeenCalledTimes(1);
  });
});
