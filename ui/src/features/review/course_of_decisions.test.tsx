/** One decision after the other: the next one, those that were made, those whose time is over. */
import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { buttons, diff, hash, press, resolution, show, waiting } from "../../testing/approvals";
import { previewOf } from "../../testing/scenes";

describe("the next decision", () => {
  const ask = (add: ReturnType<typeof waiting>["add"], approvalId: string) =>
    add("approval.requested", {
      approvalId,
      callId: approvalId,
      toolId: "edit_file",
      args: {},
      risk: "low",
      reason: "writes ask",
      preview: previewOf(diff),
    });
  const isAt = (hunk: string) =>
    waitFor(() => expect(document.activeElement?.getAttribute("data-hunk")).toBe(hunk));

  it("has the focus on its first hunk, also where it comes after the one before it is gone", async () => {
    const { id, approvalId, fake, add } = waiting();
    await show(fake, id);
    await isAt("1");
    await act(async () =>
      fake.send({ events: [add("approval.resolved", { approvalId, decision: "approve" })] }),
    );
    await waitFor(() => expect(buttons("Accept hunk")).toHaveLength(0));
    expect(document.activeElement?.className).toBe("changes");
    await act(async () => fake.send({ events: [ask(add, "next")] }));
    await isAt("1");
    const both = [add("approval.resolved", { approvalId: "next", decision: "reject" }), ask(add, "third")];
    await act(async () => fake.send({ events: both }));
    await isAt("1");
  });

  it("takes no focus from elsewhere", async () => {
    const { id, approvalId, fake, add } = waiting();
    await show(fake, id);
    await isAt("1");
    const elsewhere = document.body.appendChild(document.createElement("input"));
    elsewhere.focus();
    const next = [add("approval.resolved", { approvalId, decision: "approve" }), ask(add, "next")];
    await act(async () => fake.send({ events: next }));
    await waitFor(() => expect(buttons("Accept hunk")).toHaveLength(3));
    expect(document.activeElement).toBe(elsewhere);
    elsewhere.remove();
  });

  it("is not made by the key that is still held from the one before", async () => {
    const { id, fake } = waiting();
    await show(fake, id);
    const hunk = document.activeElement as HTMLElement;
    fireEvent.keyDown(hunk, { key: "a", repeat: true });
    fireEvent.keyDown(hunk, { key: "Enter", ctrlKey: true, repeat: true });
    expect(buttons("Accept hunk")).toHaveLength(3);
    expect(resolution(fake)).toEqual([]);
  });
});

describe("what was decided", () => {
  it("stays below, marked by what became of it", async () => {
    const { id, approvalId, fake, add } = waiting();
    await show(fake, id);
    const events = [
      add("approval.resolved", {
        approvalId,
        decision: "approve",
        hunks: [1, 3],
        edited: { 3: "mine\nand more\n" },
      }),
    ];
    await act(async () => fake.send({ events }));
    await waitFor(() => expect(buttons("Accept hunk")).toHaveLength(0));
    expect(screen.getByText("1 accepted, 1 rejected")).toBeTruthy();
    expect(screen.getByRole("article").textContent).toContain(
      "✓ partly approved: 1 accepted, 1 edited by you, 1 rejected",
    );
    const counts = (path: string) =>
      screen.getByRole("region", { name: path }).querySelector(".file-counts")?.getAttribute("title");
    expect(counts("src/a.rs")).toBe("1 line added, 1 removed");
    expect(counts("src/b.rs")).toBe("2 lines added, 1 removed");
    expect(screen.getByText("✎ edited by you")).toBeTruthy();
    const rewound = add("session.rewound", { toSeq: 1, files: true, conversation: true });
    await act(async () => fake.send({ events: [rewound] }));
    expect(await screen.findByText("↺ approved, then reverted")).toBeTruthy();
  });
});

describe("an approval that has its time", () => {
  const ends = 1_700_000_600_000;
  const command = { command: "make", directory: "/p", environment: [], sandbox: "", previewHash: hash };
  const timed = (left: number) => {
    vi.spyOn(Date, "now").mockReturnValue(ends - left);
    const given = waiting({}, { command, timeoutSeconds: 600 });
    const events = given.fake.logs[given.id]?.map((event) => ({ ...event, ts: ends - 600_000 }));
    given.fake.logs[given.id] = events ?? [];
    return given;
  };
  afterEach(() => void vi.restoreAllMocks());

  it("says what remains, by the minute and at the end by the second, without having it announced", async () => {
    const { fake, id } = timed(270_000);
    await show(fake, id);
    const approve = screen.getByRole("button", { name: "Approve" });
    expect(describedBy(approve)).toContain("5 min left to answer. After that, this counts as rejected.");
    expect(screen.getByRole("status").textContent).toBe("");
    vi.mocked(Date.now).mockReturnValue(ends - 41_500);
    await waitFor(() => expect(describedBy(approve)).toContain("42 s left"));
    expect(screen.getByRole("status").textContent).toBe("");
  });

  it("can only be rejected once that is over", async () => {
    const { fake, id } = timed(1);
    await show(fake, id);
    vi.mocked(Date.now).mockReturnValue(ends);
    await waitFor(() => expect(screen.getByRole("status").textContent).toContain("You ran out of time"));
    expect(buttons("Approve")).toHaveLength(0);
    await press("Reject");
    expect(resolution(fake)).toMatchObject([{ decision: "reject" }]);
  });

  it("is told apart afterwards from what was rejected by somebody", async () => {
    const { fake, id, approvalId, add } = timed(1);
    fake.logs[id]?.push(
      add("approval.resolved", {
        approvalId,
        decision: "reject",
        resolvedBy: "timeout",
        reason: "Nobody answered within 600 s.",
      }),
    );
    await show(fake, id);
    expect(screen.getByRole("article").textContent).toContain("✕ rejected: nobody answered in time");
  });
});

function describedBy(element: HTMLElement): string {
  const ids = element.getAttribute("aria-describedby")?.split(" ") ?? [];
  return ids.map((id) => document.getElementById(id)?.textContent ?? "").join(" ");
}
