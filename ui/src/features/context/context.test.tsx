import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { longRequest } from "../../testing/context_scene";
import { eventLog } from "../../testing/events";
import { createFake, type Fake, fail } from "../../testing/fake";
import { contextPart, requestOf } from "../../testing/fake_context";
import { renderOn, sent } from "../../testing/render";
import { CompactDialog } from "./CompactDialog";
import { Context } from "./Context";

const unchanged = { model: null, effort: null, core: null, system: null, on: [], off: [] };
const of = { folder: "/home/ada/code/arki", sessionId: "s" };

async function shown(fake: Fake, shown: { folder: string; sessionId: string | null } = of) {
  const does = { onShow: vi.fn(), onBack: vi.fn(), onCompact: vi.fn() };
  await renderOn(fake, <Context of={shown} {...does} />);
  return does;
}
const openPart = async (name: RegExp) => userEvent.click(await screen.findByRole("button", { name }));

describe("the context of a session", () => {
  it("says how full the model's window is, by kind of part", async () => {
    await shown(createFake({ logs: { s: [] }, next: longRequest }));
    const { totalTokens } = longRequest;
    expect((await screen.findByText(totalTokens.toLocaleString())).parentElement?.textContent).toBe(
      `${totalTokens.toLocaleString()} of 200,000 tokens · 46 % full`,
    );
    const bar = screen.getByRole("img").getAttribute("aria-label") ?? "";
    expect(screen.getByRole("list", { name: "Warnings" }).textContent).toBe(
      "! crates/view/CLAUDE.md: cut after 32 KiB of 41",
    );
    expect(bar).toMatch(/^Instructions 0.5 %, Rules 1.2 %, .*, Tool results [0-9]+ %, free 54 %$/);
  });

  it("claims no window that nobody knows", async () => {
    await shown(createFake({ logs: { s: [] }, next: requestOf({ ...longRequest, window: null }) }));
    expect(await screen.findByText(/the model's window isn't known/)).toBeTruthy();
    expect(screen.getByRole("img").getAttribute("aria-label")).not.toContain("free");
  });

  it("switches a part off and on again, from the next run on", async () => {
    const fake = createFake({ logs: { s: [] }, next: longRequest });
    await shown(fake);
    const rule = await screen.findByRole("switch", { name: "Send AGENTS.md" });
    expect(rule.getAttribute("aria-checked")).toBe("true");
    await userEvent.click(rule);
    await waitFor(() =>
      expect(screen.getByRole("switch", { name: "Send AGENTS.md" })).toHaveProperty("checked", false),
    );
    screen.getByRole("switch", { name: "Send AGENTS.md" }).focus();
    await userEvent.keyboard(" ");
    await waitFor(() =>
      expect(screen.getByRole("switch", { name: "Send AGENTS.md" })).toHaveProperty("checked", true),
    );
    expect(sent(fake, "configure_session")).toEqual([
      { sessionId: "s", changes: { ...unchanged, off: ["rule:AGENTS.md"] } },
      { sessionId: "s", changes: { ...unchanged, on: ["rule:AGENTS.md"] } },
    ]);
    expect(screen.getByText(/left out from the next run on/)).toBeTruthy();
  });

  it("switches a rule or a mention off that came late", async () => {
    const parts = [
      contextPart({ id: "rule:sub/AGENTS.md", part: "rule", origin: "sub/AGENTS.md", tokens: 90, seq: 4 }),
      contextPart({ id: "mention:2", part: "mention", origin: "src/a.rs", tokens: 400, seq: 2 }),
      contextPart({ id: "mention:7", part: "mention", origin: "src/a.rs", tokens: 410, seq: 7 }),
    ];
    const fake = createFake({ logs: { s: [] }, next: requestOf({ parts }) });
    await shown(fake);
    await userEvent.click(await screen.findByRole("switch", { name: "Send sub/AGENTS.md" }));
    const [, second] = screen.getAllByRole("switch", { name: "Send src/a.rs" });
    if (second) await userEvent.click(second);
    expect(sent(fake, "configure_session")).toEqual([
      { sessionId: "s", changes: { ...unchanged, off: ["rule:sub/AGENTS.md"] } },
      { sessionId: "s", changes: { ...unchanged, off: ["mention:7"] } },
    ]);
    expect(screen.getByRole("img").getAttribute("aria-label")).toContain("Mentions");
  });

  it("says why a part could not be switched off, and still shows it as it is", async () => {
    const handlers = { configure_session: () => fail("SESSION_BUSY", "Another Arki runs it.") };
    await shown(createFake({ logs: { s: [] }, next: longRequest, handlers }));
    await userEvent.click(await screen.findByRole("switch", { name: "Send AGENTS.md" }));
    expect((await screen.findByRole("alert")).textContent).toContain("Another Arki runs it.");
    expect(screen.getByRole("switch", { name: "Send AGENTS.md" })).toHaveProperty("checked", true);
  });

  it("can't be set up before there is a session", async () => {
    await shown(createFake({ next: longRequest }), { ...of, sessionId: null });
    await screen.findByRole("list", { name: "Parts of the next request" });
    expect(screen.queryByRole("switch")).toBeNull();
  });

  it("folds what is as long as the session, shows a bounded part of it, and leads to where it was said", async () => {
    const { onShow } = await shown(createFake({ logs: { s: [] }, next: longRequest }));
    await screen.findByText("Tool results");
    expect(screen.queryByRole("button", { name: "Run the tests" })).toBeNull();
    await openPart(/^Messages 4$/);
    await userEvent.click(screen.getByRole("button", { name: "Run the tests" }));
    expect(onShow).toHaveBeenCalledExactlyOnceWith(53);
    await openPart(/^Tool results 60$/);
    const results = () => screen.getAllByRole("button", { name: /^(read_file|search_files)$/ }).length;
    expect(results()).toBe(40);
    await userEvent.click(screen.getByRole("button", { name: "Show 20 more" }));
    expect(results()).toBe(60);
  });

  it("lists the compactions so far with their sizes, what each left out, and the way back", async () => {
    const { onShow, onBack } = await shown(createFake({ logs: { s: [] }, next: longRequest }));
    const list = await screen.findByRole("list", { name: "Compactions so far" });
    const names = within(list)
      .getAllByRole("button")
      .map((one) => one.textContent);
    expect(names).toEqual([
      "Older messages summarized 148,020 → 41,600 tokens",
      "Old results left out 92,300 → 64,050 tokens",
    ]);
    expect(screen.getByText(/no longer sees 38 messages, about 71,400 tokens/)).toBeTruthy();
    await openPart(/^Older messages summarized/);
    expect(within(list).getByText("and 36 more")).toBeTruthy();
    await userEvent.click(within(list).getByRole("button", { name: /Where is Widget used/ }));
    await userEvent.click(within(list).getByRole("button", { name: "Go back to before" }));
    expect([onShow.mock.calls, onBack.mock.calls]).toEqual([[[2]], [[40]]]);
  });

  it("is asked for anew when a response has come, and not for every event", async () => {
    const log = eventLog("s");
    log.add("run.started", { prompt: "Fix it" });
    const fake = createFake({ logs: { s: [...log.events] }, next: longRequest });
    await shown(fake);
    await screen.findByText("Tool results");
    await act(async () => fake.send({ events: [log.add("tool.call", { callId: "c" })] }));
    await act(async () => fake.send({ events: [log.add("engine.response", {})] }));
    await waitFor(() => expect(sent(fake, "next_request")).toHaveLength(2));
  });

  it("can be asked for again where it could not be told", async () => {
    let works = false;
    const handlers = {
      next_request: () => (works ? longRequest : fail("FOLDER_UNAVAILABLE", "It is gone.")),
    };
    await shown(createFake({ logs: { s: [] }, handlers }));
    await screen.findByText(/It is gone/);
    works = true;
    await userEvent.click(screen.getByRole("button", { name: "Try again" }));
    expect(await screen.findByText("Tool results")).toBeTruthy();
  });
});

describe("compacting now", () => {
  const open = async (
    handlers: NonNullable<Parameters<typeof createFake>[0]["handlers"]>,
    state: "done" | "running" = "done",
  ) => {
    const session = { title: "One", project: of.folder, createdAt: 0, updatedAt: 0, pendingApprovals: 0 };
    const rest = { origin: null, parent: null, agent: "arki", pinned: false, archived: false };
    const fake = createFake({
      sessions: [{ sessionId: "s", state, ...session, ...rest }],
      logs: { s: [] },
      handlers,
    });
    const onClose = vi.fn();
    await renderOn(fake, <CompactDialog sessionId="s" onClose={onClose} />);
    return {
      fake,
      onClose,
      field: await screen.findByRole("textbox", { name: "Keep above all (optional)" }),
    };
  };

  it("keeps above all what the user says", async () => {
    const { fake, onClose, field } = await open({
      compact_session: () => ({ tokensBefore: 9, tokensAfter: 4 }),
    });
    await userEvent.type(field, " the parser {Enter}");
    await waitFor(() => expect(onClose).toHaveBeenCalled());
    expect(sent(fake, "compact_session")).toEqual([{ sessionId: "s", focus: "the parser" }]);
  });

  it("says when there is nothing to leave out, and why it failed, and stays open", async () => {
    const { fake, onClose } = await open({ compact_session: () => null });
    await userEvent.click(screen.getByRole("button", { name: "Compact" }));
    expect(await screen.findByText("The conversation is already as short as it can be.")).toBeTruthy();
    expect(sent(fake, "compact_session")).toEqual([{ sessionId: "s", focus: null }]);
    expect(onClose).not.toHaveBeenCalled();
  });

  it("waits for a run to be over", async () => {
    await open({ compact_session: () => null }, "running");
    expect(screen.getByRole("button", { name: "Compact" })).toHaveProperty("disabled", true);
    expect(screen.getByText(/A run is in progress/)).toBeTruthy();
  });
});
