import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { describe, expect, it, vi } from "vitest";
import type { ElicitationSummary, SessionSummary } from "../../protocol/generated";
import { eventLog } from "../../testing/events";
import { createFake } from "../../testing/fake";
import { renderOn } from "../../testing/render";
import { sessionOf } from "../../testing/sessions";
import { InboxDialog } from "./InboxDialog";

const session = (sessionId: string, given: Partial<SessionSummary>) =>
  sessionOf({ sessionId, state: "waiting", ...given });

const asked = { risk: "low", rule: "", reason: "", callId: "c" } as const;
const preview = (...filesAffected: string[]) => ({
  filesAffected,
  linesChanged: 1,
  hunks: [],
  previewHash: "",
});

/** One of each, in the order of their sessions. */
function everything() {
  const logs = ["edit", "child", "gate", "ask"].map((id) => eventLog(id));
  const [edit, child, gate, ask] = logs;
  if (!edit || !child || !gate || !ask) throw new Error("four logs");
  edit.add("approval.requested", {
    ...asked,
    approvalId: "1",
    toolId: "apply_patch",
    args: {},
    preview: preview("src/a.rs", "src/b.rs", "src/c.rs"),
  });
  child.add("approval.requested", {
    ...asked,
    approvalId: "2",
    toolId: "run_command",
    args: { command: "cargo test\n--all" },
  });
  gate.add("approval.requested", {
    ...asked,
    approvalId: "3",
    kind: "gate",
    toolId: "gate",
    args: { pipeline: "release", message: "Publish it?" },
  });
  ask.add("question.asked", { questionId: "q", callId: "c", text: "Which colour?" });
  const form: ElicitationSummary = {
    id: 1,
    server: "tickets",
    project: "/code/shop",
    sessionId: null,
    askedAt: Date.now() + 1_000_000,
    message: "Who is it for?",
    fields: [],
    page: null,
  };
  return createFake({
    sessions: [
      session("edit", { title: "Rename it" }),
      session("parent", { title: "Look around", project: "/code/other" }),
      session("child", { title: "Run the tests", parent: "parent", agent: "tester", project: "/code/other" }),
      session("gate", { title: "Release" }),
      session("ask", { title: "" }),
    ],
    logs: Object.fromEntries(
      ["edit", "child", "gate", "ask"].map((id, place) => [id, logs[place]?.events ?? []]),
    ),
    elicitations: [form],
  });
}

function Shown({ onGo }: { onGo: () => void }) {
  const [open, setOpen] = useState(true);
  return <InboxDialog open={open} onClose={() => setOpen(false)} onGo={onGo} />;
}

async function opened(fake: ReturnType<typeof createFake>) {
  const onGo = vi.fn();
  await renderOn(fake, <Shown onGo={onGo} />);
  return { onGo };
}
const rows = () => within(screen.getByRole("list", { name: "Waiting for you" })).getAllByRole("button");

describe("the inbox", () => {
  it("lists what waits everywhere: what it is, in which session and folder, since when", async () => {
    await opened(everything());
    const since = (row: HTMLElement) => row.querySelector(".inbox-since")?.textContent ?? "";
    expect(rows().map(since)).toEqual(expect.arrayContaining([expect.stringMatching(/^since ./)]));
    const texts = rows().map((row) => row.textContent?.replace(since(row), "|"));
    expect(texts.sort()).toEqual([
      "Pipeline releasePublish it?|Releasearki",
      "QuestionWhich colour?|Untitled sessionarki",
      "apply_patchsrc/a.rs and 2 more files|Rename itarki",
      "run_commandcargo test …|testerLook aroundother",
      "ticketsWho is it for?|shop",
    ]);
    expect(rows().at(-1)?.textContent).toContain("tickets");
  });

  it("leads to where a sub-agent's call is decided, by arrow keys and Enter", async () => {
    const { onGo } = await opened(everything());
    const to = rows().findIndex((row) => row.textContent?.includes("cargo test"));
    rows()[0]?.focus();
    await userEvent.keyboard(`${"{ArrowDown}".repeat(to)}{Enter}`);
    await waitFor(() => expect(onGo).toHaveBeenCalledOnce());
    expect(onGo.mock.calls[0]?.[0]).toMatchObject({ kind: "approval", sessionId: "parent" });
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  it("says that nothing waits", async () => {
    await opened(createFake({}));
    expect(screen.getByText(/^Nothing waits for you\./)).toBeTruthy();
    expect(screen.queryByRole("list", { name: "Waiting for you" })).toBeNull();
  });
});
