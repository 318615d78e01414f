import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import type { Event } from "../../protocol/generated";
import { eventLog } from "../../testing/events";
import { createFake } from "../../testing/fake";
import { renderOn } from "../../testing/render";
import { TimelineTab } from "./TimelineTab";

const usage = { promptTokens: 900, completionTokens: 30, totalTokens: 930, cachedTokens: 800, costUsd: 0.01 };

function log() {
  const log = eventLog("s");
  log.add("run.started", { prompt: "Rename it" });
  log.add("engine.request", { turn: 1, provider: "openai", model: "gpt" });
  log.add("engine.response", { turn: 1, durationMs: 400, ttftMs: 100, usage });
  for (const n of [1, 2]) {
    const call = { turn: 1, callId: `c${n}`, toolId: "read_file", category: "read" } as const;
    log.add("tool.call", { ...call, args: { path: `src/${n}.rs` } });
    log.add("tool.result", { ...call, durationMs: 10 });
  }
  log.add("run.completed", {});
  return log.events;
}

async function open(events: readonly Event[] = log(), count = 4) {
  const session = { sessionId: "s", title: "s", project: "/p", createdAt: 0, updatedAt: 0 } as const;
  const more = {
    state: "done",
    pendingApprovals: 0,
    origin: null,
    parent: null,
    agent: "arki",
    pinned: false,
    archived: false,
  } as const;
  const fake = createFake({ sessions: [{ ...session, ...more }], logs: { s: [...events] } });
  const does = { onShow: vi.fn(), onFork: vi.fn() };
  const { arki } = await renderOn(fake, <TimelineTab sessionId="s" {...does} />);
  await act(() => arki.session("s").load());
  await userEvent.click(screen.getByRole("radio", { name: "Waterfall" }));
  const tree = await screen.findByRole("tree", { name: "Waterfall" });
  // The list draws the first rows alone until it has its size.
  await waitFor(() => expect(rows()).toHaveLength(count));
  act(() => tree.focus());
  return { tree, fake, ...does };
}
const rows = () => screen.getAllByRole("treeitem").map((row) => row.textContent);
const active = (tree: HTMLElement) =>
  document.getElementById(tree.getAttribute("aria-activedescendant") ?? "")?.textContent;

describe("the waterfall", () => {
  it("says of each bar what it is, how long it took, and what a model call used", async () => {
    await open();
    expect(rows()).toEqual([
      "Rename it2.8 s, run, 2.8 s",
      "Turn 12 s, 2 s",
      "gpt930 tok · $0.01400 ms, model call, 400 ms, openai/gpt, first token after 100 ms, " +
        "900 tokens in (800 from the cache), 30 tokens out, $0.010000",
      "2 reads810 ms, 810 ms",
    ]);
  });

  it("is walked, folded and opened by the keyboard", async () => {
    const { tree, onShow } = await open();
    await userEvent.keyboard("{ArrowDown}{ArrowDown}");
    expect(active(tree)).toContain("gpt");
    await userEvent.keyboard("{Enter}");
    const details = screen.getByRole("region", { name: "gpt" });
    expect(within(details).getByText(/"ttftMs": 100/)).toBeTruthy();
    await userEvent.click(within(details).getByRole("button", { name: "Show in transcript" }));
    expect(onShow).toHaveBeenCalledWith(3);
    await userEvent.keyboard("{Escape}");
    expect(screen.queryByRole("region", { name: "gpt" })).toBeNull();
    await waitFor(() => expect(document.activeElement).toBe(tree));
    await userEvent.keyboard("{End}{ArrowRight}");
    expect(rows().slice(4)).toEqual([
      "read_filesrc/1.rs10 ms, tool call, 10 ms, src/1.rs",
      "read_filesrc/2.rs10 ms, tool call, 10 ms, src/2.rs",
    ]);
    await userEvent.keyboard("{ArrowLeft}{ArrowLeft}{ArrowLeft}");
    expect(rows()).toHaveLength(2);
    await userEvent.keyboard("{Home}{ArrowLeft}");
    expect(rows()).toEqual(["Rename it2.8 s, run, 2.8 s"]);
  });

  it("keeps the active row and the open details when reads become one row", async () => {
    const events = log();
    // With the first of the two reads only.
    const { tree, fake } = await open(events.slice(0, 5), 4);
    await userEvent.keyboard("{End}{Enter}");
    expect(active(tree)).toContain("src/1.rs");
    act(() => fake.send({ events: events.slice(5, 7) }));
    await waitFor(() => expect(rows().at(-1)).toContain("2 reads"));
    expect(active(tree)).toContain("2 reads");
    expect(screen.getByRole("region", { name: "read_file" })).toBeTruthy();
  });

  it("says what a bar is in its tooltip, and shows what hides in a name", async () => {
    const log = eventLog("s");
    log.add("run.started", { prompt: "gnp\u202Ecod" });
    log.add("tool.call", { turn: 1, callId: "c", toolId: "run\u202E", args: { path: "a\u202Eb" } });
    log.add("tool.result", { callId: "c", toolId: "run\u202E", durationMs: 10 });
    log.add("run.completed", {});
    await open(log.events, 3);
    expect(rows()[0]).toContain("gnpU+202Ecod");
    expect(rows()[2]).toContain("runU+202EaU+202Eb");
    await userEvent.keyboard("{End}{Enter}");
    expect(screen.getByRole("heading").textContent).toBe("runU+202E");
    const [row] = screen.getAllByRole("treeitem");
    expect(row?.title).toBe("");
    expect(row?.querySelector(".span-track")?.getAttribute("title")).toContain("run\n1.2 s");
  });
});
