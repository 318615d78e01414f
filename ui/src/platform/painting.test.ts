import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { whenPainted } from "./painting";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

it("runs after the frame, and not within it", () => {
  const order: string[] = [];
  whenPainted(() => order.push("run"));
  // Asked for later, and still in that frame.
  requestAnimationFrame(() => order.push("frame"));
  vi.advanceTimersByTime(50);
  expect(order).toEqual(["frame", "run"]);
});

it("runs once, where nothing is painted too, and never when it was called off", () => {
  const run = vi.fn();
  const off = vi.fn();
  vi.stubGlobal("requestAnimationFrame", () => 1);
  whenPainted(run);
  whenPainted(off)();
  vi.advanceTimersByTime(1_000);
  expect(run).toHaveBeenCalledOnce();
  expect(off).not.toHaveBeenCalled();
});

it("can be called off between the frame and what runs after it", () => {
  const run = vi.fn();
  const cancel = whenPainted(run);
  requestAnimationFrame(() => cancel());
  vi.advanceTimersByTime(1_000);
  expect(run).not.toHaveBeenCalled();
});
