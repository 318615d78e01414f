import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { eventLog } from "../../testing/events";
import { createFake, demoApp } from "../../testing/fake";
import { sent } from "../../testing/render";
import { type Arki, createArki } from "./arki";

/** The frame queue waits for a painted frame; here it is painted on demand. */
const paint = () => vi.advanceTimersByTimeAsync(300);

async function started(fake: ReturnType<typeof createFake>): Promise<Arki> {
  const arki = createArki(fake.platform, () => 0);
  await arki.start();
  return arki;
}

describe("the stores", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("apply a burst of frames as one change", async () => {
    const { events, add } = eventLog("s");
    const fake = createFake({ logs: { s: events.slice() } });
    const arki = await started(fake);
    const { view } = arki.session("s");
    await paint();
    const changed = vi.fn();
    view.subscribe(changed);
    for (let i = 0; i < 50; i += 1) fake.send({ events: [add("run.started", { prompt: `${i}` })] });
    await paint();
    expect(view.get().transcript.items).toHaveLength(50);
    expect(changed).toHaveBeenCalledOnce();
  });

  it("read the page again when frames were missed, but not under a reader", async () => {
    const { add } = eventLog("s");
    const fake = createFake({ logs: { s: [add("run.started", { prompt: "1" })] } });
    const arki = await started(fake);
    const session = arki.session("s");
    await paint();
    fake.logs.s?.push(add("run.started", { prompt: "2" }));
    fake.send({ missed: true });
    await paint();
    expect(session.view.get().transcript.items).toHaveLength(2);
    session.setReading(true);
    const pages = sent(fake, "open_conversation").length;
    fake.send({ missed: true });
    await paint();
    expect(sent(fake, "open_conversation")).toHaveLength(pages);
    expect(session.view.get().window.hasNewer).toBe(true);
  });

  it("hold the conversation anew when what changed of it was missed", async () => {
    const { add } = eventLog("s");
    const fake = createFake({ logs: { s: [add("run.started", { prompt: "1" })] } });
    const arki = await started(fake);
    const { view } = arki.session("s");
    await paint();
    fake.send({ events: [add("run.started", { prompt: "2" })], conversations: [] });
    await paint();
    expect(view.get().transcript.items).toMatchObject([{ text: "1" }, { text: "2" }]);
    fake.send({ events: [add("run.started", { prompt: "3" })] });
    await paint();
    expect(view.get().transcript.items).toMatchObject([{ text: "1" }, { text: "2" }, { text: "3" }]);
  });

  it("fetch the page anew when a live event leaves a gap", async () => {
    const { add } = eventLog("s");
    const fake = createFake({ logs: { s: [add("run.started", { prompt: "1" })] } });
    const arki = await started(fake);
    const { view } = arki.session("s");
    await paint();
    fake.logs.s?.push(add("run.started", { prompt: "lost" }));
    fake.send({ events: [add("run.started", { prompt: "3" })] });
    await paint();
    expect(view.get().transcript.items).toMatchObject([{ text: "1" }, { text: "lost" }, { text: "3" }]);
  });

  it("show an answer once that was kept, and stored while the page was read", async () => {
    const { add } = eventLog("s");
    const events = [
      add("run.started", { prompt: "1" }, "r"),
      add("output.message", { role: "assistant", content: "whole", turn: 1 }, "r"),
    ];
    const kept = (turn: number) => ({ runId: "r", turn, text: "who", thoughts: "" });
    let turn = 1;
    const fake = createFake({ page: () => ({ events, hasMore: false, partial: kept(turn) }) });
    const arki = await started(fake);
    const session = arki.session("s");
    await paint();
    expect(session.view.get().live.answer).toBeNull();
    turn = 2;
    await session.load();
    expect(session.view.get().live.answer?.turn).toBe(2);
  });

  it("show no kept answer of a turn that was stored, with the next one, before the page was shown", async () => {
    const { add } = eventLog("s");
    const events = [add("run.started", { prompt: "1" }, "r")];
    const partial = { runId: "r", turn: 1, text: "who", thoughts: "" };
    const page = () => ({ events, hasMore: false, partial });
    const fake = createFake({ logs: { s: [...events] }, page });
    let show = () => {};
    fake.platform.painted = () => new Promise((resolve) => (show = resolve));
    const { view } = (await started(fake)).session("s");
    await paint();
    for (const turn of [1, 2])
      fake.send({ events: [add("output.message", { role: "assistant", content: `${turn}`, turn }, "r")] });
    await paint();
    show();
    await paint();
    expect(view.get().live.answer).toBeNull();
    expect(view.get().transcript.items).toMatchObject([{ text: "1" }, { text: "1" }, { text: "2" }]);
  });

  it("change nothing where the state of the app is as it was", async () => {
    let defaultModel = "demo/demo";
    const fake = createFake({ handlers: { app_state: () => ({ ...demoApp, defaultModel }) } });
    const arki = await started(fake);
    const changed = vi.fn();
    arki.app.subscribe(changed);
    await arki.refreshApp();
    expect(changed).not.toHaveBeenCalled();
    defaultModel = "demo/other";
    await arki.refreshApp();
    expect(changed).toHaveBeenCalledOnce();
  });

  it("hear every frame once, also after a start that failed", async () => {
    let broken = true;
    const fake = createFake({
      handlers: {
        list_models: () => [],
        list_sessions: () => {
          if (broken) throw new Error("not yet");
          return [];
        },
      },
    });
    const arki = await started(fake);
    expect(arki.failure.get()?.message).toBe("not yet");
    expect(arki.ready.get()).toBe(false);
    broken = false;
    await arki.start();
    expect([arki.failure.get(), arki.ready.get()]).toEqual([null, true]);
    fake.send({ events: [eventLog("n").add("session.created", { title: "T", project: "/p" })] });
    await paint();
    expect(arki.sessions.get()).toHaveLength(1);
  });
});
