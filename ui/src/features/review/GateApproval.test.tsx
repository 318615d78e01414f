import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { buttons, press, resolution, show, waiting } from "../../testing/approvals";
import { fail } from "../../testing/fake";

describe("a pipeline's gate", () => {
  const args = {
    message: "Publish 2.4?",
    step: "gate",
    pipeline: "release",
    input: "## 2.4\nFaster.",
    inputBytes: 14,
  };
  const gate = { kind: "gate", callId: null, toolId: "approval", args, reason: "asks" } as const;

  it("shows the question, who asks, and what it hands on", async () => {
    const { fake, id } = waiting({}, gate);
    await show(fake, id);
    expect(screen.getByText("Publish 2.4?", { selector: ".gate-question" })).toBeTruthy();
    expect(screen.getByRole("group", { name: "What it hands on" }).textContent).toBe("## 2.4\nFaster.");
    expect(screen.queryByText(/The beginning of/)).toBeNull();
    await press("Approve");
    expect(resolution(fake)).toMatchObject([{ decision: "approve", note: null, previewHash: "" }]);
  });

  it("is rejected with a note", async () => {
    const { fake, id } = waiting({}, gate);
    await show(fake, id);
    await userEvent.type(screen.getByRole("textbox", { name: "Note" }), "not on a Friday");
    await press("Reject");
    expect(resolution(fake)).toMatchObject([{ decision: "reject", note: "not on a Friday" }]);
  });

  it("is approved by keyboard, and says where its input is cut or missing", async () => {
    const { fake, id } = waiting({}, { ...gate, args: { ...args, inputBytes: 70_000 } });
    await show(fake, id);
    expect(screen.getByText("The beginning of 70,000 bytes.")).toBeTruthy();
    await userEvent.type(screen.getByRole("textbox", { name: "Note" }), "go{Control>}{Enter}{/Control}");
    expect(resolution(fake)).toMatchObject([{ decision: "approve", note: "go" }]);
    const empty = waiting({}, { ...gate, args: { ...args, input: "", inputBytes: 0 } });
    await show(empty.fake, empty.id);
    expect(screen.getByText("The gate has no input.")).toBeTruthy();
  });

  it("shows characters that hide something as boxes", async () => {
    const { fake, id } = waiting({}, { ...gate, args: { ...args, message: "Publish\u202e?" } });
    await show(fake, id);
    expect(screen.getByText("Publish", { selector: ".gate-question", exact: false }).textContent).toBe(
      "PublishU+202E?",
    );
  });

  it("says why a decision wasn't taken, and can be decided again", async () => {
    const { fake, id } = waiting(
      { resolve_approval: () => fail("APPROVAL_DECIDED", "Somebody else decided.") },
      gate,
    );
    await show(fake, id);
    await press("Approve");
    expect(await screen.findByText("Somebody else decided.")).toBeTruthy();
    expect(buttons("Approve")).toHaveLength(1);
  });

  it("can only be rejected once its time is over", async () => {
    const { fake, id } = waiting({}, { ...gate, timeoutSeconds: 1 });
    await show(fake, id);
    expect(buttons("Approve")).toHaveLength(0);
    expect(screen.getByText(/Click Reject to end the run/)).toBeTruthy();
  });

  it("is told with its question once it is decided", async () => {
    const { fake, id, approvalId, add } = waiting({}, gate);
    add("approval.resolved", { approvalId, decision: "approve", resolvedBy: "window", previewHash: "" });
    await show(fake, id);
    expect(screen.getByText("Publish 2.4?", { selector: ".decided *" })).toBeTruthy();
  });
});
