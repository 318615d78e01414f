/** What the user left out of a hunk stays out in every way of accepting it. */
import { cleanup, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { buttons, press, resolution, show, waiting } from "../../testing/approvals";
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
/** Leaves the added line 3 out of the first hunk. */
async function unticked(diff = two) {
  const here = await given(diff);
  await userEvent.keyboard("l{ArrowDown}{ArrowDown} ");
  return here;
}
const chosen = { hunks: null, edited: { 1: "one\nTWO\nthree\n" } };

describe("lines that the user left out", () => {
  it("stay out with Accept all", async () => {
    const { fake } = await unticked();
    await press("Accept all");
    expect(resolution(fake)).toMatchObject([{ decision: "approve", ...chosen }]);
  });

  it("stay out with Ctrl+Enter in the note", async () => {
    const { fake } = await unticked();
    await userEvent.type(screen.getByRole("textbox", { name: "Note to the model" }), "so");
    await userEvent.keyboard("{Control>}{Enter}{/Control}");
    expect(resolution(fake)).toMatchObject([{ ...chosen, note: "so" }]);
  });

  it("stay out with Accept file in the list", async () => {
    const { fake } = await unticked(four);
    const row = screen.getByRole("button", { name: "src/a.rs" }).closest("li") as HTMLElement;
    await userEvent.click(within(row).getByRole("button", { name: "Accept file" }));
    await press("Reject all");
    expect(resolution(fake)).toMatchObject([{ hunks: [1], edited: chosen.edited }]);
  });

  it("stay in sight after Escape with an empty box, and out when the hunk is accepted", async () => {
    const { fake } = await unticked();
    await userEvent.keyboard("{Escape}");
    expect(screen.getByText("2 of 3 lines")).toBeTruthy();
    const off = document.querySelector('[data-hunk="1"] .diff .off');
    expect(off?.textContent).toContain("new");
    expect(off?.querySelector("[role=img]")?.getAttribute("aria-label")).toBe("left out");
    const lines = [...document.querySelectorAll('[data-hunk="1"] .diff-text')].map(
      (line) => line.textContent,
    );
    expect(lines).toEqual(["one", "two", "TWO", "new", "three"]);
    await userEvent.keyboard("ar");
    expect(resolution(fake)).toMatchObject([{ hunks: [1], edited: chosen.edited }]);
  });

  it("stay out after another session or tab was shown, and after Undo", async () => {
    const { fake, id } = await unticked();
    cleanup();
    await show(fake, id);
    await press("Accept hunk");
    await press("Undo");
    await userEvent.keyboard("l");
    expect(screen.getByRole<HTMLInputElement>("checkbox", { name: "Added line 3" }).checked).toBe(false);
    await press("Accept all");
    expect(resolution(fake)).toMatchObject([chosen]);
  });

  it("reject the hunk where they are all of its lines", async () => {
    const { fake } = await given();
    await userEvent.keyboard("l {ArrowDown} {ArrowDown} ");
    await press("Accept all");
    expect(resolution(fake)).toMatchObject([{ decision: "approve", hunks: [2], edited: null }]);
  });

  it("take the ways of approving for longer than once with them", async () => {
    const { fake } = await given();
    await screen.findByRole("button", { name: "Always approve" });
    await userEvent.keyboard("l ");
    expect(buttons("Always approve")).toHaveLength(0);
    await userEvent.keyboard("{Control>}{Alt>}{Enter}{/Alt}{/Control}");
    expect(resolution(fake)).toEqual([]);
    await userEvent.keyboard(" ");
    expect(buttons("Always approve")).toHaveLength(1);
  });
});

describe("the editor of a hunk's text", () => {
  it("begins with the lines that were chosen", async () => {
    await unticked();
    await userEvent.keyboard("{Escape}e");
    const editor = screen.getByRole<HTMLTextAreaElement>("textbox", { name: "New text of this hunk" });
    expect(editor.value).toBe("one\nTWO\nthree");
  });
});
