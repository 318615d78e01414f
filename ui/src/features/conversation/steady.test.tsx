import { act, fireEvent, render, screen } from "@testing-library/react";
import { useRef } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Steady, useSteady } from "./steady";

function Scroller({ onSteady }: { onSteady: (steady: Steady) => void }) {
  const scroller = useRef<HTMLDivElement>(null);
  onSteady(useSteady({ scroller, following: true, setFollowing: () => {} }));
  return (
    <div role="log" ref={scroller}>
      <div className="transcript-inner" />
    </div>
  );
}

/** A scroller of 500 pixels, at its end. */
function shown() {
  let steady: Steady | null = null;
  render(<Scroller onSteady={(now) => (steady = now)} />);
  const log = screen.getByRole("log");
  let height = 0;
  const grow = (to: number) => {
    height = to;
    act(() => steady?.hold());
  };
  Object.defineProperty(log, "clientHeight", { get: () => 500 });
  Object.defineProperty(log, "scrollHeight", { get: () => height });
  const scroll = (top: number) => {
    log.scrollTop = top;
    return steady?.scrolled();
  };
  return { log, grow, scroll };
}

describe("the end of the transcript", () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it("is kept where the browser scrolls while something comes, whatever is clicked elsewhere", () => {
    const { log, grow, scroll } = shown();
    fireEvent.pointerUp(window);
    grow(800);
    expect(scroll(0)).toBe(true);
    expect(log.scrollTop).toBe(800);
  });

  it("is left by a hand, also one that has let go a moment ago", () => {
    for (const sign of ["wheel", "keyDown", "pointerDown", "focusIn"] as const) {
      const { log, grow, scroll } = shown();
      fireEvent[sign](log);
      grow(800);
      vi.advanceTimersByTime(1_000);
      grow(900);
      expect(scroll(100), sign).toBe(false);
      document.body.replaceChildren();
    }
  });

  it("is left by whoever scrolls without a hand once nothing comes any more", () => {
    const { grow, scroll } = shown();
    grow(800);
    vi.advanceTimersByTime(1_000);
    expect(scroll(0)).toBe(false);
  });
});
