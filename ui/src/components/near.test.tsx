import { act, render, screen } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createNearness, Near, NearnessProvider } from "./near";

type Told = { isIntersecting: boolean; rootBounds: { width: number } | null };

/** Stands in for the browser's, which no layout is done for here. */
function observed() {
  let hear: (entries: unknown[]) => void = () => {};
  const targets = new Set<Element>();
  /** Since they were last told of. */
  const asked: Element[] = [];
  vi.stubGlobal(
    "IntersectionObserver",
    class {
      constructor(callback: (entries: unknown[]) => void) {
        hear = callback;
      }
      observe = (target: Element) => {
        targets.add(target);
        asked.push(target);
      };
      unobserve = (target: Element) => targets.delete(target);
      disconnect = () => {};
    },
  );
  const tell = (told: Told, which: Iterable<Element> = targets) => {
    const entries = [...which].map((target) => ({ ...told, target, boundingClientRect: { height: 20 } }));
    asked.length = 0;
    act(() => hear(entries));
  };
  return { tell, targets, asked };
}

function shown(words: readonly string[] = ["A text"]) {
  const nearness = createNearness();
  nearness.begin(document.body);
  return render(texts(words), {
    wrapper: ({ children }) => <NearnessProvider value={nearness}>{children}</NearnessProvider>,
  });
}

const texts = (words: readonly string[]) =>
  words.map((text) => (
    <Near key={text} height="200px" atFirst>
      {() => <p>{text}</p>}
    </Near>
  ));

describe("what is drawn only near to what is seen", () => {
  afterEach(() => vi.unstubAllGlobals());

  it("is taken away where it is far, keeps its height, and comes again", () => {
    const { tell } = observed();
    shown();
    tell({ isIntersecting: false, rootBounds: { width: 600 } });
    expect(screen.queryByText("A text")).toBeNull();
    tell({ isIntersecting: true, rootBounds: { width: 600 } });
    expect(screen.getByText("A text")).toBeDefined();
  });

  it("stays while the scroller has no room", () => {
    const { tell } = observed();
    shown();
    tell({ isIntersecting: false, rootBounds: { width: 0 } });
    expect(screen.getByText("A text")).toBeDefined();
  });

  it("is asked for again once the scroller has room, where it was told of in between", () => {
    const { tell, targets, asked } = observed();
    shown(["A", "B", "C"]);
    const [a, b, c] = [...targets] as [Element, Element, Element];
    tell({ isIntersecting: false, rootBounds: { width: 0 } }, [a, b]);
    expect(asked).toEqual([]);
    // The observer has nothing new to say of the first: it is far away, as it was without room.
    tell({ isIntersecting: true, rootBounds: { width: 600 } }, [b, c]);
    expect(asked).toEqual([a]);
    tell({ isIntersecting: false, rootBounds: { width: 600 } }, asked);
    expect(screen.queryByText("A")).toBeNull();
    expect(screen.getByText("B")).toBeDefined();
    expect(asked).toEqual([]);
  });

  it("is not asked for where it has gone meanwhile", () => {
    const { tell, targets, asked } = observed();
    const { rerender } = shown(["A", "B"]);
    const [a, b] = [...targets] as [Element, Element];
    tell({ isIntersecting: false, rootBounds: { width: 0 } }, [a]);
    rerender(texts(["B"]));
    tell({ isIntersecting: true, rootBounds: { width: 600 } }, [b]);
    expect(asked).toEqual([]);
  });
});
