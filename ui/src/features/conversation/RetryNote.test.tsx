import { act, fireEvent, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { eventLog } from "../../testing/events";
import { createFake } from "../../testing/fake";
import { renderOn } from "../../testing/render";
import { RetryNote } from "./FootNotes";

const now = Date.UTC(2026, 10, 21, 9, 30);

beforeEach(() => {
  vi.useFakeTimers({ now });
});
afterEach(() => {
  vi.useRealTimers();
});

async function shown(onRetryNow: (() => void) | null = vi.fn()) {
  const log = eventLog("s", now);
  log.add("run.started", { prompt: "go" }, "r", 0);
  log.add("engine.request", { turn: 1 }, "r", 0);
  log.add("engine.retry", { turn: 1, code: "PROVIDER_RATE_LIMITED", delayMs: 4000, attempt: 2 }, "r", 0);
  const fake = createFake({ logs: { s: log.events } });
  const view = await renderOn(fake, <RetryNote sessionId="s" onRetryNow={onRetryNow} />);
  await act(async () => view.arki.session("s").load());
  return { ...view, fake, log };
}

describe("a request that is about to be sent again", () => {
  it("says why and counts down", async () => {
    const { container } = await shown();
    expect(container.textContent).toContain(
      "The provider asks Arki to slow down. Trying again in 4 s (attempt 2).",
    );
    await act(async () => vi.advanceTimersByTime(2000));
    expect(container.textContent).toContain("Trying again in 2 s");
    await act(async () => vi.advanceTimersByTime(2000));
    expect(container.textContent).toContain("Trying again…");
    expect(screen.queryByRole("button", { name: "Retry now" })).toBeNull();
  });

  it("need not be waited for", async () => {
    const retryNow = vi.fn();
    const { container } = await shown(retryNow);
    fireEvent.click(screen.getByRole("button", { name: "Retry now" }));
    expect(retryNow).toHaveBeenCalledOnce();
    expect(container.textContent).toContain("Trying again…");
  });

  it("is only told where another process waits", async () => {
    const { container } = await shown(null);
    expect(container.textContent).toContain("Trying again in 4 s");
    expect(screen.queryByRole("button", { name: "Retry now" })).toBeNull();
  });

  it("is over with the answer, and with the run", async () => {
    for (const type of ["engine.response", "run.cancelled", "run.paused"] as const) {
      const { fake, log, container, unmount } = await shown();
      log.add(type, {}, "r", 0);
      await act(async () => {
        fake.send({ events: log.events.slice(-1) });
        vi.advanceTimersByTime(50);
      });
      expect(container.textContent, type).toBe("");
      unmount();
    }
  });
});
