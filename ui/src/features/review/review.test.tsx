/** A change is decided hunk by hunk, file by file or at once, and what is decided arrives. */
import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it } from "vitest";
import { buttons, diff, hash, press, resolution, show, waiting } from "../../testing/approvals";
import { type Fake, fail } from "../../testing/fake";
import { sent } from "../../testing/render";
import { previewOf } from "../../testing/scenes";

describe("a write approval", () => {
  let fake: Fake;
  beforeEach(async () => {
    const given = waiting();
    fake = given.fake;
    await show(fake, given.id);
  });

  it("names each file's region by its path and each button by the contract", () => {
    expect(
      within(screen.getByRole("region", { name: "src/a.rs" })).getAllByRole("button", {
        name: "Accept hunk",
      }),
    ).toHaveLength(2);
    expect(
      within(screen.getByRole("region", { name: "src/b.rs" })).getAllByRole("button", { name: "Edit hunk" }),
    ).toHaveLength(1);
    const described = buttons("Reject hunk")[2]?.getAttribute("aria-describedby");
    expect(document.getElementById(described ?? "")?.textContent).toContain(
      "Hunk 3 of 3, line 1 of src/b.rs",
    );
  });

  it("is sent by itself when the last hunk is decided, with what was taken and shown", async () => {
    await press("Reject hunk");
    await press("Accept hunk");
    expect(resolution(fake)).toEqual([]);
    await press("Accept hunk");
    expect(resolution(fake)).toEqual([
      { decision: "approve", hunks: [2, 3], edited: null, command: null, note: null, previewHash: hash },
    ]);
  });

  it("is a rejection when nothing was taken, and carries the note", async () => {
    await userEvent.type(screen.getByRole("textbox", { name: "Note to the model" }), " not now ");
    await press("Reject all");
    expect(resolution(fake)).toEqual([
      { decision: "reject", hunks: null, edited: null, command: null, note: "not now", previewHash: hash },
    ]);
  });

  it("accepts only what is still undecided with Accept all", async () => {
    await press("Reject hunk", 1);
    await press("Accept all");
    expect(resolution(fake)).toEqual([
      { decision: "approve", hunks: [1, 3], edited: null, command: null, note: null, previewHash: hash },
    ]);
  });

  it("takes all when every hunk was accepted", async () => {
    await press("Accept all");
    expect(resolution(fake)).toMatchObject([{ decision: "approve", hunks: null }]);
  });

  it("sends an edited hunk's new side", async () => {
    await press("Edit hunk", 2);
    const box = screen.getByRole<HTMLTextAreaElement>("textbox", { name: "New text of this hunk" });
    expect(box.value).toBe("B");
    await userEvent.clear(box);
    await userEvent.type(box, "mine");
    await press("Save edit");
    expect(screen.getByText("✎ edited by you")).toBeTruthy();
    await press("Reject all");
    expect(resolution(fake)).toEqual([
      {
        decision: "approve",
        hunks: [3],
        edited: { 3: "mine\n" },
        command: null,
        note: null,
        previewHash: hash,
      },
    ]);
  });

  it("can be changed until the last decision", async () => {
    await press("Accept hunk");
    await press("Undo");
    expect(buttons("Accept hunk")).toHaveLength(3);
  });

  it("decides a file at once", async () => {
    await press("Reject file");
    await press("Accept hunk");
    expect(resolution(fake)).toMatchObject([{ decision: "approve", hunks: [3] }]);
  });

  it("is reviewed by keyboard alone", async () => {
    const hunk = () => document.activeElement?.getAttribute("data-hunk");
    expect(hunk()).toBe("1");
    await userEvent.keyboard("j");
    expect(hunk()).toBe("2");
    await userEvent.keyboard("{ArrowUp}");
    expect(hunk()).toBe("1");
    await userEvent.keyboard("a");
    expect(hunk()).toBe("2");
    await userEvent.keyboard("r");
    expect(hunk()).toBe("3");
    await userEvent.keyboard("e");
    await userEvent.keyboard("!{Control>}{Enter}{/Control}");
    expect(resolution(fake)).toEqual([
      {
        decision: "approve",
        hunks: [1, 3],
        edited: { 3: "!B\n" },
        command: null,
        note: null,
        previewHash: hash,
      },
    ]);
  });

  it("folds an accepted hunk to a line that unfolds, and puts a decided file below the open ones", async () => {
    const lines = (hunk: number) => document.querySelectorAll(`[data-hunk="${hunk}"] .diff-row`).length;
    const files = () => screen.getAllByRole("region").map((file) => file.getAttribute("aria-label"));
    await press("Accept hunk");
    expect([lines(1), lines(2)]).toEqual([0, 3]);
    await press("Show hunk");
    expect(lines(1)).toBe(3);
    await press("Reject hunk");
    // The focus goes on in the order of the change, wherever the file is now.
    expect(document.activeElement?.getAttribute("data-hunk")).toBe("3");
    expect(files()).toEqual(["src/b.rs", "src/a.rs"]);
    expect(screen.getByText("Decided so far")).toBeTruthy();
    expect([lines(1), lines(2)]).toEqual([3, 3]);
    await userEvent.keyboard("jo");
    expect(lines(1)).toBe(0);
    await userEvent.keyboard("u");
    expect(files()).toEqual(["src/a.rs", "src/b.rs"]);
    expect(screen.queryByText("Decided so far")).toBeNull();
    expect(lines(1)).toBe(3);
  });

  it("keeps the old lines in sight while a hunk is edited", async () => {
    await press("Edit hunk");
    const old = document.querySelector(".hunk-old");
    expect([...(old?.querySelectorAll(".diff-text") ?? [])].map((line) => line.textContent)).toEqual([
      "one",
      "two",
    ]);
    await userEvent.type(screen.getByRole("textbox", { name: "New text of this hunk" }), "!");
    expect(document.querySelector(".code-sheet pre")?.textContent).toBe("oneTWO!");
  });

  it("accepts all with the key, and types keys into the note as text", async () => {
    await userEvent.type(screen.getByRole("textbox", { name: "Note to the model" }), "a r");
    expect(buttons("Accept hunk")).toHaveLength(3);
    await userEvent.keyboard("{Control>}{Enter}{/Control}");
    expect(resolution(fake)).toMatchObject([{ decision: "approve", hunks: null, note: "a r" }]);
  });
});

describe("a decision that does not arrive", () => {
  it("stays, says why, and can be sent again", async () => {
    let works = false;
    const { id, fake } = waiting({
      resolve_approval: () => (works ? null : fail("STORE", "The disk is full.", "Free some space.")),
    });
    await show(fake, id);
    await press("Accept all");
    expect(screen.getByRole("alert").textContent).toContain("The disk is full.");
    works = true;
    await press("Try again");
    expect(resolution(fake)).toHaveLength(2);
    expect(screen.queryByRole("alert")).toBeNull();
  });

  it("shows the fresh preview with an explanation when the shown one was stale", async () => {
    const { id, approvalId, fake, add } = waiting();
    await show(fake, id);
    const fresh = add("approval.requested", {
      approvalId: "fresh",
      callId: "c",
      toolId: "edit_file",
      supersedes: approvalId,
      preview: previewOf(diff),
    });
    await act(async () => fake.send({ events: [fresh] }));
    await waitFor(() => expect(screen.getByText(/nothing was written/)).toBeTruthy());
    await press("Accept all");
    expect(sent(fake, "resolve_approval")).toMatchObject([{ approvalId: "fresh" }]);
  });
});
