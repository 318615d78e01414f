import { act, render, screen } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createNearness, Near, NearnessProvider } from "./near";

type Told = { isIntersecting: boolean; rootBounds: { width: number } | null };

/** Stands in for the browser's, which no layout is done for here. */
function observed() {
  let hear: (entries: unknown[]) => void = () => {};
  const targets: Element[] = [];
  vi.stubGlobal(
    "IntersectionObserver",
    class {
      constructor(callback: (entries: unknown[]) => void) {
        hear = callback;
      }
      observe = (target: Element) => targets.push(target);
      unobserve = () => {};
      disconnect = () => {};
    },
  );
  return (told: Told) =>
    act(() => hear(targets.map((target) => ({ ...told, target, boundingClientRect: { height: 20 } }))));
}

function shown() {
  const nearness = createNearness();
  nearness.begin(document.body);
  return render(
    <NearnessProvider value={nearness}>
      <Near height="200px" atFirst>
        {() => <p>A text</p>}
      </Near>
    </NearnessProvider>,
  );
}

describe("what is drawn only near to what is seen", () => {
  afterEach(() => vi.unstubAllGlobals());

  it("is taken away where it is far, keeps its height, and comes again", () => {
    const tell = observed();
    shown();
    tell({ isIntersecting: false, rootBounds: { width: 600 } });
    expect(screen.queryByText("A text")).toBeNull();
    tell({ isIntersecting: true, rootBounds: { width: 600 } });
    expect(screen.getByText("A text")).toBeDefined();
  });

  it("stays while the scroller has no room", () => {
    const tell = observed();
    shown();
    tell({ isIntersecting: false, rootBounds: { width: 0 } });
    expect(screen.getByText("A text")).toBeDefined();
  });
});
