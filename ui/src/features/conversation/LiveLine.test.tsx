import { act, fireEvent, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { eventLog } from "../../testing/events";
import { createFake } from "../../testing/fake";
import { renderOn } from "../../testing/render";
import { LiveLine } from "./FootNotes";

const now = Date.UTC(2026, 10, 21, 9, 30);

beforeEach(() => {
  vi.useFakeTimers({ now });
});
afterEach(() => {
  vi.useRealTimers();
});

const asked = { turn: 1, provider: "lab", model: "gpt-lab" };

async function working(onAskAgain: (() => void) | null = vi.fn()) {
  const log = eventLog("s", now);
  log.add("run.started", { prompt: "go" }, "r", 0);
  log.add("engine.request", asked, "r", 0);
  const fake = createFake({ logs: { s: log.events } });
  const view = await renderOn(fake, <LiveLine sessionId="s" onAskAgain={onAskAgain} />);
  await act(async () => view.arki.session("s").load());
  const pass = (ms: number) => act(async () => vi.advanceTimersByTime(ms));
  const hear = async (frame: Parameters<typeof fake.send>[0]) => {
    await act(async () => {
      fake.send(frame);
      vi.advanceTimersByTime(50);
    });
  };
  const said = () => view.container.querySelector(".live-line-said")?.textContent;
  return { ...view, fake, log, pass, hear, said };
}

const delta = (tokenType: "LLM_RESPONSE" | "LLM_THINKING", text: string) => ({
  deltas: [{ sessionId: "s", runId: "r", turn: 1, tokenType, text }],
});

describe("the line that says what a run does", () => {
  it("counts from the request, then says what the model does", async () => {
    const { pass, hear, said } = await working();
    expect(said()).toBe("Waiting for gpt-lab");
    await pass(4000);
    expect(said()).toBe("Waiting for gpt-lab · 4 s");
    await hear(delta("LLM_THINKING", "hm"));
    expect(said()).toBe("Thinking");
    await hear(delta("LLM_RESPONSE", "So"));
    expect(said()).toBe("Writing");
  });

  it("says that the model writes while a call comes that can't be shown yet", async () => {
    const { pass, hear, said } = await working(vi.fn());
    await pass(8000);
    await hear({ callsGrow: ["s"] });
    expect(said()).toBe("Writing");
    await pass(9000);
    expect(screen.queryByRole("button", { name: "Retry" })).toBeNull();
  });

  it("counts nothing while nothing of the session is known", async () => {
    const view = await renderOn(createFake({ logs: {} }), <LiveLine sessionId="s" onAskAgain={null} />);
    expect(view.container.querySelector(".live-line-said")?.textContent).toBe("Getting ready");
  });

  it("says when nothing comes any more, and lets one ask again", async () => {
    const again = vi.fn();
    const { pass, hear, said } = await working(again);
    await pass(9000);
    expect(screen.queryByRole("button", { name: "Retry" })).toBeNull();
    await pass(1000);
    expect(said()).toBe("No words from gpt-lab for 10 s");
    await hear(delta("LLM_RESPONSE", "So"));
    expect(said()).toBe("Writing");
    await pass(14_000);
    expect(said()).toBe("No words for 14 s");
    fireEvent.click(screen.getByRole("button", { name: "Retry" }));
    expect(again).toHaveBeenCalledOnce();
  });

  it("names the command that runs and the last line that it printed, and offers no retry", async () => {
    const { pass, hear, said, log, container } = await working();
    const args = { command: "cargo test --workspace" };
    log.add("output.message", { turn: 1, content: "" }, "r", 0);
    log.add("tool.call", { turn: 1, callId: "c", toolId: "run_command", args, category: "exec" }, "r", 0);
    log.add("policy.decided", { callId: "c", decision: "allow" }, "r", 0);
    await hear({ events: log.events.slice(-3) });
    await hear({
      commandOutput: [{ sessionId: "s", runId: "r", callId: "c", text: "one\ntwo\n", changed: [] }],
    });
    await pass(12_000);
    expect(said()).toMatch(/^Running cargo test · 1\d s$/);
    expect(container.textContent).toContain("two");
    expect(container.textContent).not.toContain("one");
    expect(screen.queryByRole("button", { name: "Retry" })).toBeNull();
  });
});
