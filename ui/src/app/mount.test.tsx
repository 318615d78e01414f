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

const drawn = () => vi.fn<Root["render"]>();
const rootOf = (render: Root["render"]): Root => ({ render, unmount: () => undefined });

describe("the start of the window", () => {
  it("is drawn once, when the engine has said what there is", async () => {
    let answer = () => {};
    const render = drawn();
    const mounted = mount(
      rootOf(render),
      answersAfter(
        new Promise((resolve) => {
          answer = resolve;
        }),
      ),
    );
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(render).not.toHaveBeenCalled();
    answer();
    await mounted;
    expect(render).toHaveBeenCalledOnce();
  });

  it("is drawn also where the engine fails, or says nothing for long", async () => {
    for (const first of [Promise.reject(new Error("gone")), new Promise<never>(() => undefined)]) {
      const render = drawn();
      await mount(rootOf(render), answersAfter(first));
      expect(render).toHaveBeenCalledOnce();
    }
  });
});
