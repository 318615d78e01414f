import { screen } from "@testing-library/react";
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

  it("is rejected with a note", async () => {
    const { fake, id } = waiting({}, plan);
    await show(fake, id);
    await userEvent.type(screen.getByRole("textbox", { name: "Note to the model" }), "smaller steps");
    await press("Reject");
    expect(resolution(fake)).toMatchObject([{ decision: "reject", plan: null, note: "smaller steps" }]);
  });
});
