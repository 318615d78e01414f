import { i18n } from "@lingui/core";
import { cleanup, configure } from "@testing-library/react";
import { afterEach } from "vitest";

// English is in the code; nothing of it is left out but in a production build.
i18n.loadAndActivate({ locale: "en", messages: {} });

// A slow machine is no failure.
configure({ asyncUtilTimeout: 20_000 });

afterEach(() => {
  cleanup();
  localStorage.clear();
});

// What jsdom lacks and the window uses; none of it decides anything in a test.
/** Nothing has a size in jsdom: a list that draws only what is in view would draw and show next to nothing. */
const scrolls = "[role=log], [style*=overflow]";
class GivenSizes implements ResizeObserver {
  private readonly hear: ResizeObserverCallback;
  constructor(hear: ResizeObserverCallback) {
    this.hear = hear;
  }
  observe(target: Element) {
    const contentRect = { width: 800, height: target.matches(scrolls) ? 4000 : 20 };
    queueMicrotask(() => this.hear([{ target, contentRect } as ResizeObserverEntry], this));
  }
  unobserve() {}
  disconnect() {}
}
globalThis.ResizeObserver ??= GivenSizes;
Object.defineProperty(HTMLElement.prototype, "offsetParent", {
  get(this: HTMLElement) {
    return this.parentElement;
  },
});
Element.prototype.scrollIntoView ??= () => {};
Element.prototype.scrollTo ??= () => {};
Element.prototype.getAnimations ??= () => [];
window.matchMedia ??= (media) =>
  Object.assign(new EventTarget(), {
    media,
    matches: false,
    onchange: null,
    addListener() {},
    removeListener() {},
  });
