import type { Root } from "react-dom/client";
import { describe, expect, it, vi } from "vitest";
import type { Platform } from "../platform/platform";
import { createFake } from "../testing/fake";
import { mount } from "./mount";

/** A platform that answers about the app only after `first` has come. */
function answersAfter(first: Promise<void>): Platform {
  const { platform } = createFake({});
  const call: Platform["call"] = async (name, params) => {
    if (name === "app_state") await first;
    return platform.call(name, params);
  };
  return { ...platform, call };
}

/** How long the first draw took to come, in milliseconds. */
async function drawnAfter(first: Promise<void>): Promise<number> {
  const began = performance.now();
  const render = vi.fn<Root["render"]>();
  await mount({ render, unmount: () => undefined }, answersAfter(first));
  expect(render).toHaveBeenCalledOnce();
  return performance.now() - began;
}

describe("the start of the window", () => {
  it("is drawn when the engine has said what there is", async () => {
    const took = await drawnAfter(new Promise((resolve) => setTimeout(resolve, 150)));
    expect(took).toBeGreaterThanOrEqual(149);
    expect(took).toBeLessThan(450);
  });

  it("is drawn at once where the engine fails, and soon where it says nothing", async () => {
    expect(await drawnAfter(Promise.reject(new Error("gone")))).toBeLessThan(450);
    expect(await drawnAfter(new Promise(() => undefined))).toBeGreaterThanOrEqual(499);
  });
});
