import type { Root } from "react-dom/client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Platform } from "../platform/platform";
import { createFake } from "../testing/fake";
import { speak } from "./locale";
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

function mounted(first: Promise<void>) {
  const render = vi.fn<Root["render"]>();
  const done = mount({ render, unmount: () => undefined }, answersAfter(first));
  return { render, done };
}

describe("the start of the window", () => {
  beforeEach(async () => {
    await speak();
    vi.useFakeTimers();
  });
  afterEach(() => void vi.useRealTimers());

  it("is drawn when the engine has said what there is", async () => {
    let answer = () => {};
    const first = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const { render, done } = mounted(first);
    await vi.advanceTimersByTimeAsync(400);
    expect(render).not.toHaveBeenCalled();
    answer();
    // No time passes.
    await done;
    expect(render).toHaveBeenCalledOnce();
  });

  it("is drawn at once where the engine fails", async () => {
    const { render, done } = mounted(Promise.reject(new Error("gone")));
    await done;
    expect(render).toHaveBeenCalledOnce();
  });

  it("is drawn soon where the engine says nothing", async () => {
    const { render, done } = mounted(new Promise(() => undefined));
    await vi.advanceTimersByTimeAsync(499);
    expect(render).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    await done;
    expect(render).toHaveBeenCalledOnce();
  });
});
