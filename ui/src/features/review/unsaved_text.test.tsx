/** A hunk's text in its editor: nothing accepts past it, and nothing loses it. */
import { cleanup, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { press, resolution, show, waiting } from "../../testing/approvals";
import { previewOf } from "../../testing/scenes";

const a = "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1,3 +1,4 @@\n one\n-two\n+TWO\n+new\n three\n";
const other = (path: string) => `--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-y\n+Y\n`;
const two = a + other("b");
const four = two + other("c") + other("d");
const rule = '{"decision":"allow","tool":"edit_file","project":"/p"}';

async function given(diff = two) {
  const here = waiting({ proposed_rule: () => rule }, { preview: previewOf(diff) });
  await show(here.fake, here.id);
  return here;
}
const editor = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "New text of this hunk" });

describe("a text that is not saved", () => {
  const why = "Save or cancel this edit first.";

  it("is not passed over by accepting all: the editor says why and has the focus", async () => {
    const { fake } = await given();
    await screen.findByRole("button", { name: "Always approve" });
    await press("Edit hunk");
    await userEvent.keyboard("mine ");
    for (const name of ["Accept all", "Always approve", "Approve for this session"]) {
      await press(name);
      await waitFor(() => expect(document.activeElement).toBe(editor()));
    }
    expect(screen.getByRole("alert").textContent).toBe(why);
    await userEvent.type(screen.getByRole("textbox", { name: "Note to the model" }), "so");
    await userEvent.keyboard("{Control>}{Enter}{/Control}");
    await waitFor(() => expect(document.activeElement).toBe(editor()));
    expect(resolution(fake)).toEqual([]);
    expect(editor().value).toContain("mine ");
    await press("Save edit");
    await press("Accept all");
    expect(resolution(fake)).toMatchObject([
      { hunks: null, edited: { 1: expect.stringContaining("mine ") } },
    ]);
  });

  it("is found in a folded file too", async () => {
    await given(four);
    await press("Edit hunk");
    await userEvent.keyboard("mine ");
    await press("Fold");
    await press("Accept all");
    await waitFor(() => expect(document.activeElement).toBe(editor()));
    expect(editor().value).toContain("mine ");
  });

  it("stays while another hunk is decided, and does not give way to another editor", async () => {
    await given();
    await press("Edit hunk");
    await userEvent.keyboard("mine ");
    await press("Edit hunk");
    expect(screen.getByRole("alert").textContent).toBe(why);
    await press("Reject hunk");
    expect(editor().value).toContain("mine ");
  });

  it("is still there after another session or tab was shown, and takes no focus then", async () => {
    const { fake, id } = await given();
    await press("Edit hunk");
    await userEvent.keyboard("mine ");
    cleanup();
    await show(fake, id);
    expect(editor().value).toContain("mine ");
    expect(document.activeElement).not.toBe(editor());
    await userEvent.click(editor());
    await userEvent.keyboard("{Escape}");
    cleanup();
    await show(fake, id);
    expect(screen.queryByRole("textbox", { name: "New text of this hunk" })).toBeNull();
  });
});
