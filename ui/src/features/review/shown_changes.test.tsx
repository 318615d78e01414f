/** How the changes under review are shown: their lines, or words where there are none. */
import { cleanup, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { WholeChange } from "../../protocol/generated";
import { buttons, diff, hash, press, resolution, show, waiting } from "../../testing/approvals";
import { previewOf } from "../../testing/scenes";

describe("changes of whitespace", () => {
  afterEach(() => localStorage.clear());

  it("are hidden from sight with a key or the button, and accepted all the same", async () => {
    const spaces = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n-b\n+  a\n+c\n@@ -9 +9 @@\n-z\n+\tz\n";
    const { id, fake } = waiting({}, { preview: previewOf(spaces) });
    await show(fake, id);
    const rows = () => [...document.querySelectorAll(".diff-row")].map((row) => row.className);
    const plain = rows();
    expect(plain.filter((row) => row !== "diff-row context")).toHaveLength(6);
    await userEvent.keyboard("w");
    expect(rows()).toEqual(["diff-row context", "diff-row removed", "diff-row added"]);
    expect(screen.getByText("Only whitespace changes.")).toBeTruthy();
    expect(screen.getByText("Whitespace changes are hidden")).toBeTruthy();
    expect(screen.getByText("1 line with only whitespace changes isn't marked.")).toBeTruthy();
    const toggle = screen.getByRole("button", { name: "Hide whitespace changes" });
    expect(toggle.getAttribute("aria-pressed")).toBe("true");
    await userEvent.click(toggle);
    expect(rows()).toEqual(plain);
    expect(screen.queryByText("Whitespace changes are hidden")).toBeNull();
    await userEvent.keyboard("w");
    await press("Accept all");
    expect(resolution(fake)).toMatchObject([{ decision: "approve", hunks: null, edited: null }]);
  });
});

describe("both sides of a diff", () => {
  afterEach(() => {
    localStorage.clear();
    vi.restoreAllMocks();
  });

  it("are shown where there is room for them alone", async () => {
    const wide = vi.spyOn(HTMLElement.prototype, "offsetWidth", "get").mockReturnValue(1);
    const { id, fake } = waiting();
    await show(fake, id);
    await userEvent.keyboard("s");
    expect(document.querySelector(".diff-split")).toBeNull();
    expect(screen.getByRole("button", { name: "Show side by side" })).toHaveProperty("disabled", true);
    wide.mockRestore();
    cleanup();
    await show(fake, id);
    await userEvent.keyboard("s");
    expect(document.querySelector(".diff-split")).toBeTruthy();
  });
});

describe("changes without lines", () => {
  const script =
    "diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n--- a/run.sh\n+++ b/run.sh\n@@ -1 +1 @@\n-a\n+b\n";
  const logo = "diff --git a/logo.png b/logo.png\nBinary files a/logo.png and b/logo.png differ\n";
  const link =
    "diff --git a/to b/to\nnew file mode 120000\n--- /dev/null\n+++ b/to\n@@ -0,0 +1 @@\n+run.sh\n\\ No newline at end of file\n";
  const moved = "diff --git a/old.md b/new.md\nsimilarity index 100%\nrename from old.md\nrename to new.md\n";
  const whole = (index: number, path: string, what: WholeChange) => ({
    index,
    path,
    oldStart: 0,
    oldLines: 0,
    newStart: 0,
    newLines: 0,
    what,
  });
  const preview = {
    ...previewOf(script + logo + link + moved),
    hunks: [
      whole(1, "run.sh", "mode"),
      { index: 2, path: "run.sh", oldStart: 1, oldLines: 1, newStart: 1, newLines: 1 },
      whole(3, "logo.png", "binary"),
      whole(4, "to", "link"),
      whole(5, "new.md", "move"),
    ],
  };

  it("are hunks with words in place of lines, and can't be edited", async () => {
    const { id, fake } = waiting({}, { preview });
    await show(fake, id);
    const words = ["Mode changed from 100644 to 100755.", "Binary file: its content can't be shown."];
    for (const one of [...words, "Symbolic link.", "Moved."]) expect(screen.getByText(one)).toBeTruthy();
    for (const name of ["mode change of run.sh", "binary file of logo.png", "link of to", "move of new.md"])
      expect(screen.getByRole("group", { name: new RegExp(name) })).toBeTruthy();
    expect(buttons("Edit hunk")).toHaveLength(1);
    expect(screen.queryByText("You can only accept or reject this preview as a whole.")).toBeNull();
  });

  it("are decided each under the engine's number", async () => {
    const { id, fake } = waiting({}, { preview });
    await show(fake, id);
    await press("Accept hunk");
    await press("Reject hunk");
    await press("Reject hunk");
    await press("Accept hunk");
    await press("Accept hunk");
    expect(resolution(fake)).toMatchObject([{ decision: "approve", hunks: [1, 4, 5] }]);
  });
});

describe("a preview that does not match its hunks", () => {
  it("can only be decided as a whole", async () => {
    const preview = { ...previewOf(diff), hunks: previewOf(diff).hunks.slice(1) };
    const { id, fake } = waiting({}, { preview });
    await show(fake, id);
    expect(buttons("Accept hunk").every((button) => (button as HTMLButtonElement).disabled)).toBe(true);
    await press("Reject all");
    expect(resolution(fake)).toMatchObject([{ decision: "reject", hunks: null, previewHash: hash }]);
  });
});

describe("a change of very many files", () => {
  it("unfolds only the first ones, and the keys still lead to all", async () => {
    const many = Array.from({ length: 60 }, (_, i) => `--- a/f${i}\n+++ b/f${i}\n@@ -1 +1 @@\n-a\n+b\n`).join(
      "",
    );
    const { id, fake } = waiting({}, { preview: previewOf(many) });
    await show(fake, id);
    expect(buttons("Accept hunk")).toHaveLength(25);
    expect(buttons("Unfold")).toHaveLength(35);
    for (let i = 0; i < 25; i += 1) await userEvent.keyboard("j");
    await userEvent.keyboard("{Enter}");
    expect(buttons("Accept hunk")).toHaveLength(26);
    await userEvent.keyboard("jj");
    // Nothing is decided unseen: the letter shows what it is about first.
    await userEvent.keyboard("a");
    expect(buttons("Accept hunk")).toHaveLength(27);
    await waitFor(() => expect(document.activeElement?.getAttribute("data-hunk")).toBe("27"));
    await press("Accept all");
    expect(resolution(fake)).toMatchObject([{ decision: "approve", hunks: null }]);
  });
});
