/** An input method keeps its keys: some webviews say so by the key code alone. */
import { fireEvent, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { press, resolution, show, waiting } from "../../testing/approvals";
import { previewOf } from "../../testing/scenes";

const rule = '{"decision":"allow","tool":"edit_file","project":"/p"}';
const diff = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-y\n+Y\n";
const command = { command: "make", directory: "/p", environment: [], sandbox: "", previewHash: "e" };
const plan = { kind: "plan", callId: null, toolId: "plan", args: { intent: "x", steps: ["y"] } } as const;
const many = ["a", "b", "c", "d"].map((name) => diff.replaceAll("/a", `/${name}`)).join("");

const composing = (target: Element | null, key: string, more = {}) => {
  for (const how of [{ isComposing: true }, { keyCode: 229 }])
    fireEvent.keyDown(target ?? document.body, { key, ...how, ...more });
};

describe("a key that an input method is at work on", () => {
  it.each([
    ["change", { preview: previewOf(diff) }],
    ["command", { toolId: "run_command", command }],
    ["plan", plan],
  ])("answers no %s, once or for longer", async (_, payload) => {
    const { fake, id } = waiting({ proposed_rule: () => rule }, payload);
    await show(fake, id);
    if (!("kind" in payload)) await screen.findByRole("button", { name: "Always approve" });
    const note = screen.getByRole("textbox", { name: "Note to the model" });
    composing(note, "Enter", { ctrlKey: true });
    composing(note, "Enter", { ctrlKey: true, altKey: true });
    expect(resolution(fake)).toEqual([]);
  });

  it("decides no hunk, line or file, and closes no editor", async () => {
    const { fake, id } = waiting({}, { preview: previewOf(many) });
    await show(fake, id);
    composing(document.activeElement, "a");
    await userEvent.keyboard("f");
    composing(document.activeElement, "a");
    expect(screen.getByText("0 of 4 files decided")).toBeTruthy();
    await press("Select lines");
    composing(document.activeElement, "Escape");
    expect(screen.getAllByRole("checkbox")).toHaveLength(2);
    await press("Close");
    await press("Edit hunk");
    composing(document.activeElement, "Escape");
    composing(document.activeElement, "Enter", { ctrlKey: true });
    expect(screen.getByRole("textbox", { name: "New text of this hunk" })).toBeTruthy();
    expect(resolution(fake)).toEqual([]);
  });
});
