import { cleanup, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { waiting } from "../../testing/approvals";
import type { Fake } from "../../testing/fake";
import { renderOn, sent } from "../../testing/render";
import { previewOf } from "../../testing/scenes";
import { Changes } from "./Changes";

const drawn = vi.hoisted((): string[] => []);
/** The reason and the path, of which a part may stand by itself. */
const { head } = vi.hoisted(() => ({ head: ["writes ask", "src/a.rs"] }));
vi.mock("../../components/code/VisibleText", () => ({
  VisibleText: ({ text }: { text: string }) => {
    if (!head.some((words) => words.endsWith(text) || words.startsWith(text))) drawn.push(text);
    return text;
  },
}));

const diff =
  "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1,3 +1,4 @@\n one\n-two\n+TWO\n+new\n three\n@@ -11 +12 @@\n-y\n+Y\n";

async function show(of = diff): Promise<Fake> {
  const { id, fake } = waiting({}, { preview: previewOf(of) });
  await renderOn(fake, <Changes sessionId={id} focusRequest={1} />);
  return fake;
}

const resolutions = (fake: Fake) => sent(fake, "resolve_approval").map(({ resolution }) => resolution);
const active = () => document.activeElement?.getAttribute("aria-label");
const box = (name: string) => screen.getByRole<HTMLInputElement>("checkbox", { name });

describe("a hunk by its lines", () => {
  it("has only the selected ones accepted, by keys alone", async () => {
    const fake = await show();
    await userEvent.keyboard("l");
    await userEvent.keyboard("{ArrowUp}");
    expect(active()).toBe("Comment on line 1");
    await userEvent.keyboard("{ArrowDown}{ArrowDown}{ArrowDown}");
    expect(active()).toBe("Added line 3");
    await userEvent.keyboard(" ");
    expect(box("Added line 3").checked).toBe(false);
    expect(screen.getByText("2 of 3 changed lines selected")).toBeTruthy();
    await userEvent.keyboard("{Control>}{Enter}{/Control}");
    await waitFor(() => expect(document.activeElement?.getAttribute("data-hunk")).toBe("2"));
    await userEvent.keyboard("r");
    expect(resolutions(fake)).toMatchObject([
      { decision: "approve", hunks: [1], edited: { 1: "one\nTWO\nthree\n" } },
    ]);
  });

  it("is accepted as it is with all of them, and can't be with none", async () => {
    const fake = await show();
    await userEvent.click(screen.getAllByRole("button", { name: "Select lines" })[0] as HTMLElement);
    const accept = () => screen.getByRole<HTMLButtonElement>("button", { name: "Accept selected lines" });
    for (const name of ["Removed line 2", "Added line 2", "Added line 3"]) await userEvent.click(box(name));
    expect(accept().disabled).toBe(true);
    for (const name of ["Removed line 2", "Added line 2", "Added line 3"]) await userEvent.click(box(name));
    await userEvent.click(accept());
    await userEvent.keyboard("a");
    expect(resolutions(fake)).toMatchObject([{ decision: "approve", hunks: null, edited: null }]);
  });

  it("is left with Escape, which goes no further, and keeps its selection", async () => {
    const outside = vi.fn();
    window.addEventListener("keydown", outside);
    await show();
    await userEvent.keyboard("l ");
    outside.mockClear();
    await userEvent.keyboard("{Escape}");
    window.removeEventListener("keydown", outside);
    expect(outside).not.toHaveBeenCalled();
    await waitFor(() => expect(document.activeElement?.getAttribute("data-hunk")).toBe("1"));
    expect(screen.queryAllByRole("checkbox")).toHaveLength(0);
    expect(screen.getByText("2 of 3 lines")).toBeTruthy();
    await userEvent.keyboard("l");
    expect(box("Removed line 2").checked).toBe(false);
  });

  it("hears no letter that means the whole hunk", async () => {
    const fake = await show();
    await userEvent.keyboard("lk");
    expect(active()).toBe("Comment on line 1");
    await userEvent.keyboard("areuf");
    expect(active()).toBe("Comment on line 1");
    expect(screen.getByText("3 of 3 changed lines selected")).toBeTruthy();
    expect(resolutions(fake)).toEqual([]);
  });

  it("isn't offered where there is one changed line, and Ctrl+Enter accepts that from a comment on it", async () => {
    const fake = await show("--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n a\n+b\n@@ -9 +10 @@\n-y\n+Y\n");
    expect(screen.getAllByRole("button", { name: "Select lines" })).toHaveLength(1);
    await userEvent.keyboard("l");
    expect(screen.getAllByRole("button", { name: "Select lines" })).toHaveLength(1);
    await userEvent.keyboard("cwhy?{Control>}{Enter}{/Control}");
    expect(active()).toBe("Comment on line 2");
    expect(screen.queryByText(/can only be accepted together/)).toBeNull();
    await userEvent.keyboard("{Control>}{Enter}{/Control}r");
    expect(resolutions(fake)).toMatchObject([{ hunks: [1], edited: null, note: "x:2: why?" }]);
  });

  it("isn't offered for a symbolic link, which can't be edited either", async () => {
    const head = "diff --git a/x b/x\nnew file mode 120000\n";
    const fake = await show(`${head}--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+a\n+b\n`);
    await userEvent.keyboard("el");
    for (const name of ["Select lines", "Edit hunk"])
      expect(screen.queryByRole("button", { name })).toBeNull();
    expect(screen.queryAllByRole("checkbox")).toHaveLength(0);
    expect(screen.queryByRole("textbox", { name: "New text of this hunk" })).toBeNull();
    await userEvent.keyboard("c{Escape}");
    expect(screen.queryAllByRole("checkbox")).toHaveLength(0);
    await userEvent.keyboard("{Control>}{Enter}{/Control}");
    expect(resolutions(fake)).toMatchObject([{ decision: "approve", hunks: null, edited: null }]);
  });

  it("draws only the lines anew that change", async () => {
    await show();
    await userEvent.keyboard("l");
    drawn.splice(0);
    await userEvent.keyboard("{ArrowDown}");
    expect(drawn.join("")).toBe("twoTWO");
    drawn.splice(0);
    await userEvent.keyboard(" ");
    expect(drawn.join("")).toBe("TWO");
  });

  it("can't be chosen from where the result would not be exact", async () => {
    const fake = await show("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\r\n-b\n+A\r\n+B\n");
    await userEvent.keyboard("l");
    expect(screen.getByText("The lines of this hunk can only be accepted together.")).toBeTruthy();
    expect(screen.queryAllByRole("checkbox")).toHaveLength(0);
    await userEvent.keyboard("{Control>}{Enter}{/Control}");
    expect(resolutions(fake)).toMatchObject([{ decision: "approve", hunks: null, edited: null }]);
  });
});

describe("comments on lines", () => {
  it("begin with the first changed line where none is added, however far down an added one is", async () => {
    await show("--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n a\n-b\n");
    await userEvent.keyboard("c");
    expect(active()).toBe("Comment on removed line 2");
    cleanup();
    await show(`--- a/x\n+++ b/x\n@@ -1,450 +1 @@\n${"-b\n".repeat(450)}+c\n`);
    await userEvent.keyboard("c");
    expect(active()).toBe("Comment on line 1");
  });

  const reject = () => screen.getByRole("button", { name: "Reject all" });
  const said = () => {
    const ids = reject().getAttribute("aria-describedby")?.split(" ") ?? [];
    return ids.map((id) => document.getElementById(id)?.textContent ?? "").join(" ");
  };

  it("go with the rejection's note, and the button says how many", async () => {
    const fake = await show();
    await userEvent.keyboard("c");
    expect(active()).toBe("Comment on line 2");
    await userEvent.keyboard("So loud?{Control>}{Enter}{/Control}{ArrowUp}c");
    expect(active()).toBe("Comment on removed line 2");
    await userEvent.keyboard("Keep two.{Enter}It is used.{Control>}{Enter}{/Control}");
    expect(said()).toContain("sends 2 comments");
    const list = screen.getByRole("list", { name: "Your comments" });
    expect(within(list).getByText("Removed line 2")).toBeTruthy();
    expect(within(list).getByText("Line 2")).toBeTruthy();
    await userEvent.keyboard("{ArrowDown}{ArrowDown}{ArrowDown}c");
    expect(active()).toBe("Comment on line 4");
    await userEvent.keyboard("And a.rs?");
    expect(said()).toContain("sends 3 comments");
    expect(screen.getByText("1 file · sends 3 comments").parentElement?.textContent).toContain("Accept all");
    await userEvent.type(screen.getByRole("textbox", { name: "Note to the model" }), "Not yet");
    await userEvent.click(reject());
    expect(resolutions(fake)).toMatchObject([
      {
        decision: "reject",
        note: "Not yet\nsrc/a.rs:2 (removed): Keep two. It is used.\nsrc/a.rs:2: So loud?\nsrc/a.rs:4: And a.rs?",
      },
    ]);
  });

  it("are not listed while they are blank", async () => {
    await show();
    await userEvent.keyboard("c {Enter}");
    expect(screen.queryByRole("list", { name: "Your comments" })).toBeNull();
  });

  it("stand below the hunk and can be removed; Escape takes back what was typed", async () => {
    await show();
    await userEvent.keyboard("cno");
    await userEvent.keyboard("{Escape}");
    expect(said()).not.toContain("sends");
    await userEvent.keyboard("cyes{Control>}{Enter}{/Control}{Escape}");
    const list = screen.getByRole("list", { name: "Your comments" });
    expect(list.textContent).toContain("yes");
    const remove = within(list).getByRole("button", { name: "Remove comment" });
    expect(document.getElementById(remove.getAttribute("aria-describedby") ?? "")?.textContent).toBe(
      "Line 2",
    );
    remove.focus();
    await userEvent.keyboard("{Enter}");
    await waitFor(() => expect(document.activeElement?.getAttribute("data-hunk")).toBe("1"));
    expect(screen.queryByRole("list", { name: "Your comments" })).toBeNull();
    expect(said()).not.toContain("sends");
  });
});
