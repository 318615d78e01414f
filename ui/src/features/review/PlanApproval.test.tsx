import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { press, resolution, show, waiting } from "../../testing/approvals";

describe("a plan approval", () => {
  const args = { intent: "Mend it", steps: ["Look", "Mend"], calls: ["Read a.txt"] };
  const plan = { kind: "plan", callId: null, toolId: "plan", args, reason: "first" } as const;

  it("shows what is meant and sends no steps where they are as shown", async () => {
    const { fake, id } = waiting({}, plan);
    await show(fake, id);
    expect(screen.getByText("Mend it", { selector: "p *, p" })).toBeTruthy();
    expect(screen.getByRole("list", { name: "First calls" }).textContent).toBe("Read a.txt");
    await press("Approve");
    expect(resolution(fake)).toMatchObject([{ decision: "approve", plan: null }]);
  });

  it("tells its first calls in a line each, with all that they say behind it", async () => {
    const calls = ['read_file {"path":"src/a.rs"}', 'read_file {"path":"b.rs","first_line":7}'];
    const { fake, id } = waiting({}, { ...plan, args: { ...args, calls } });
    await show(fake, id);
    const list = screen.getByRole("list", { name: "First calls" });
    const [short, long] = within(list).getAllByRole("listitem");
    expect(short?.textContent).toBe("read_file src/a.rs");
    expect(long?.querySelector("summary")?.textContent).toBe("read_file b.rs");
    expect(long?.querySelector("pre")?.textContent).toContain('"first_line": 7');
  });

  it("sends the steps that the user gives it, and never none", async () => {
    const { fake, id } = waiting({}, plan);
    await show(fake, id);
    const steps = screen.getByRole("textbox", { name: "Steps of the plan, one per line" });
    await userEvent.clear(steps);
    await press("Approve");
    expect(resolution(fake)).toEqual([]);
    await userEvent.type(steps, "Look{Enter}{Enter}Test");
    await press("Approve");
    expect(resolution(fake)).toMatchObject([{ plan: ["Look", "Test"] }]);
  });

  it("sends no steps of the user's own where none were written, whatever the shown ones look like", async () => {
    const steps = [" Look ", "", "Mend"];
    const { fake, id } = waiting({}, { ...plan, args: { ...args, steps } });
    await show(fake, id);
    await press("Approve");
    expect(resolution(fake)).toMatchObject([{ decision: "approve", plan: null }]);
    const again = waiting({}, { ...plan, args: { ...args, steps } });
    await show(again.fake, again.id);
    await userEvent.type(
      screen.getAllByRole("textbox", { name: "Steps of the plan, one per line" })[1] as HTMLElement,
      "x{Backspace}",
    );
    await press("Approve");
    expect(resolution(again.fake)).toMatchObject([{ decision: "approve", plan: null }]);
  });

  it("says when a step has characters that can't be seen", async () => {
    const words = "Contains invisible or bidirectional control characters.";
    const { fake, id } = waiting({}, plan);
    const { unmount } = await show(fake, id);
    expect(screen.queryByText(words)).toBeNull();
    unmount();
    for (const hidden of ["\u202e", "\u200b", "\u{e0041}"]) {
      const given = waiting({}, { ...plan, args: { ...args, steps: [`Look${hidden}`] } });
      const view = await show(given.fake, given.id);
      expect(screen.getByText(words)).toBeTruthy();
      view.unmount();
    }
  });

  it("shows characters that hide something in its reason", async () => {
    const { fake, id } = waiting({}, { ...plan, reason: "a first\u202e plan" });
    await show(fake, id);
    expect(screen.getByRole("article").textContent).toContain("a firstU+202E plan");
  });

  it("is rejected with a note", async () => {
    const { fake, id } = waiting({}, plan);
    await show(fake, id);
    await userEvent.type(screen.getByRole("textbox", { name: "Note to the model" }), "smaller steps");
    await press("Reject");
    const note = "smaller steps";
    expect(resolution(fake)).toEqual([
      { decision: "reject", hunks: null, edited: null, command: null, note, previewHash: "" },
    ]);
  });
});
