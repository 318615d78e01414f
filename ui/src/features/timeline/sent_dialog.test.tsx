import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import type { CommandError, SentPart, SentRequest } from "../../protocol/generated";
import { eventLog } from "../../testing/events";
import { createFake } from "../../testing/fake";
import { renderOn, sent as sentTo } from "../../testing/render";
import { SentDialog } from "./SentDialog";
import { TimelineTab } from "./TimelineTab";

const part = (
  place: number,
  role: SentPart["role"],
  text: string,
  more: Partial<SentPart> = {},
): SentPart => ({
  place,
  role,
  name: null,
  isError: false,
  text,
  bytes: text.length,
  next: null,
  ...more,
});

const request: SentRequest = {
  sessionId: "s",
  seq: 2,
  turn: 1,
  provider: "lab",
  model: "tiny",
  requestHash: "ab".repeat(32),
  purpose: null,
  stage: null,
  proof: "proven",
  messageCount: 3,
  toolCount: 1,
  bodyBytes: 900,
  prompt: {
    parts: [
      part(0, "system", "Be good."),
      part(1, "tool", "Reads a file.", { name: "read_file" }),
      part(2, "user", "Rename it", { bytes: 70_000, next: 9 }),
    ],
    next: 3,
  },
  answer: { parts: [part(0, "call", '{"path":"a"}', { name: "read_file" })], next: null },
};

async function open(given: Partial<SentRequest> = {}, fault?: CommandError) {
  const fake = createFake({
    handlers: {
      sent_request: () => {
        if (fault) throw fault;
        return { ...request, ...given };
      },
      sent_parts: () => ({
        parts: [part(3, "result", "no such file", { name: "read_file", isError: true })],
        next: null,
      }),
      sent_text: ({ from }) => ({ text: ` from ${from} on`, next: from < 20 ? 20 : null }),
      sent_json: ({ form }) => `{"form":"${form}"}`,
    },
  });
  const onClose = vi.fn();
  await renderOn(fake, <SentDialog sessionId="s" seq={2} onClose={onClose} />);
  const dialog = await screen.findByRole("dialog", { name: "Sent to the model" });
  return { fake, dialog, onClose };
}

const parts = (name: string) =>
  within(screen.getByRole("list", { name }))
    .getAllByRole("listitem")
    .map((item) => item.textContent);

describe("a past request", () => {
  it("shows what was sent role by role, the long parts folded, and more of each as it is asked for", async () => {
    const { fake, dialog } = await open();
    expect(await within(dialog).findByText(/^Proven: this is what was sent/)).toBeTruthy();
    expect(dialog.textContent).toContain("lab/tiny · Turn 1 · 3 messages · 1 tool · 900 bytes");
    expect(parts("Prompt")).toEqual([
      "System prompt8 bytes",
      "1 toolread_file13 bytes",
      "User68 KiBRename itShow more: 68 KiB left",
    ]);
    await userEvent.click(screen.getByRole("button", { name: /^System prompt/ }));
    expect(parts("Prompt")[0]).toContain("Be good.");
    await userEvent.click(screen.getByRole("button", { name: "Show more: 68 KiB left" }));
    await userEvent.click(await screen.findByRole("button", { name: "Show more: 68 KiB left" }));
    await waitFor(() => expect(parts("Prompt")[2]).toBe("User68 KiBRename it from 9 on from 20 on"));
    expect(sentTo(fake, "sent_text")[1]).toEqual({
      sessionId: "s",
      seq: 2,
      side: "prompt",
      place: 2,
      from: 20,
    });
    await userEvent.click(screen.getByRole("button", { name: "Show more messages" }));
    await waitFor(() => expect(parts("Prompt")[3]).toBe("Failed resultread_file12 bytesno such file"));
    expect(screen.queryByRole("button", { name: "Show more messages" })).toBeNull();
  });

  it("shows the answer too, and copies both as JSON", async () => {
    await open();
    const user = userEvent.setup();
    await user.click(await screen.findByRole("radio", { name: "Answer" }));
    expect(parts("Answer")).toEqual(['Tool callread_file12 bytes{"path":"a"}']);
    await user.click(screen.getByRole("button", { name: "Copy as JSON" }));
    await waitFor(async () => expect(await navigator.clipboard.readText()).toBe('{"form":"neutral"}'));
    await user.click(screen.getByRole("button", { name: "Copy the provider's JSON" }));
    await waitFor(async () => expect(await navigator.clipboard.readText()).toBe('{"form":"body"}'));
    expect(screen.getByRole("status").textContent).toBe("Copied.");
  });

  it("claims nothing that isn't proven", async () => {
    const { dialog } = await open({ proof: "head_unknown", bodyBytes: null });
    expect(await within(dialog).findByText(/^Not proven: .* The ones shown are today's\.$/)).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Copy the provider's JSON" })).toBeNull();
  });

  it("says what went wrong", async () => {
    const { dialog } = await open({}, { code: "EVENT_NOT_FOUND", message: "It has no event 2.", hint: "" });
    expect(await within(dialog).findByText("It has no event 2.")).toBeTruthy();
  });

  it("opens from its event in the list and from its bar in the waterfall", async () => {
    const log = eventLog("s");
    log.add("run.started", { prompt: "Rename it" });
    log.add("engine.request", { turn: 1, provider: "lab", model: "tiny" });
    log.add("engine.response", { turn: 1, durationMs: 400 });
    const session = { sessionId: "s", title: "s", project: "/p", createdAt: 0, updatedAt: 0 } as const;
    const more = {
      pendingApprovals: 0,
      origin: null,
      parent: null,
      agent: "arki",
      pinned: false,
      archived: false,
    };
    const fake = createFake({
      sessions: [{ ...session, ...more, state: "running" }],
      logs: { s: [...log.events] },
      handlers: { sent_request: () => request },
    });
    const does = { onShow: vi.fn(), onFork: vi.fn() };
    const { arki } = await renderOn(fake, <TimelineTab sessionId="s" {...does} />);
    await act(() => arki.session("s").load());
    await userEvent.click(screen.getByRole("radio", { name: "Waterfall" }));
    const tree = await screen.findByRole("tree", { name: "Waterfall" });
    await waitFor(() => expect(screen.getAllByRole("treeitem")).toHaveLength(3));
    act(() => tree.focus());
    await userEvent.keyboard("{ArrowDown}{ArrowDown}{Enter}");
    await userEvent.click(screen.getByRole("button", { name: "Show what was sent" }));
    await screen.findByRole("dialog", { name: "Sent to the model" });
    expect(sentTo(fake, "sent_request")).toEqual([{ sessionId: "s", seq: 2 }]);
    await userEvent.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    await userEvent.click(screen.getByRole("radio", { name: "List" }));
    await userEvent.click(await screen.findByRole("button", { name: /^Request sent/ }));
    await userEvent.click(screen.getByRole("button", { name: "Show what was sent" }));
    await screen.findByRole("dialog", { name: "Sent to the model" });
  });
});
