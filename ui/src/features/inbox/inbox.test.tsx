import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import type { ElicitationSummary, SessionSummary } from "../../protocol/generated";
import { eventLog } from "../../testing/events";
import { createFake } from "../../testing/fake";
import { renderOn } from "../../testing/render";
import { sessionOf } from "../../testing/sessions";
import { InboxPlace } from "./InboxPlace";
import type { Waiting } from "./waiting";

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

async function opened(fake: ReturnType<typeof createFake>) {
  const onGo = vi.fn();
  const thing = ({ id }: Waiting, focusRequest: number) => (
    <button type="button">{`thing ${id}, ${focusRequest}`}</button>
  );
  const { arki } = await renderOn(fake, <InboxPlace open onGo={onGo} thing={thing} />);
  return { onGo, arki };
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

  it("shows each thing beside the list, by arrow keys, takes Enter into it, and leads to its session", async () => {
    const { onGo } = await opened(everything());
    const to = rows().findIndex((row) => row.textContent?.includes("cargo test"));
    await waitFor(() => expect(document.activeElement).toBe(rows()[0]));
    await userEvent.keyboard("{ArrowDown}".repeat(to));
    expect(rows()[to]?.getAttribute("aria-current")).toBe("true");
    expect(screen.getByRole("button", { name: "thing 2, 0" })).toBeTruthy();
    expect(screen.getByRole("heading", { name: "Look around" })).toBeTruthy();
    await userEvent.keyboard("{Enter}");
    expect(screen.getByRole("button", { name: "thing 2, 1" })).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Open its session" }));
    expect(onGo.mock.calls).toMatchObject([[{ kind: "approval", sessionId: "parent" }]]);
  });

  it("shows the one that follows what was decided, with the focus on it", async () => {
    const { arki } = await opened(everything());
    await userEvent.keyboard("{ArrowDown}");
    const [, second, third] = rows().map((row) => row.textContent);
    screen.getByRole("button", { name: /^thing/ }).focus();
    const id = screen.getByRole("button", { name: /^thing/ }).textContent?.match(/thing (\w+)/)?.[1];
    act(() => {
      arki.approvals.update((all) => all.filter((one) => one.approvalId !== id));
      arki.questions.update((all) => all.filter((one) => one.questionId !== id));
    });
    await waitFor(() => expect(document.activeElement?.textContent).toBe(third));
    expect(rows().map((row) => row.textContent)).not.toContain(second);
    expect(screen.queryByRole("button", { name: new RegExp(`^thing ${id},`) })).toBeNull();
  });

  it("says that nothing waits", async () => {
    await opened(createFake({}));
    expect(screen.getByText(/^Nothing waits for you\./)).toBeTruthy();
    expect(screen.queryByRole("list", { name: "Waiting for you" })).toBeNull();
  });
});
