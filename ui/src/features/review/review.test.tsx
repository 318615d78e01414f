import { act, cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { WholeChange } from "../../protocol/generated";
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

describe("a command approval", () => {
  const command = {
    command: "rm -rf \u202etxt.exe",
    directory: "/p",
    environment: ["PATH"],
    sandbox: "off",
    previewHash: "e",
  };

  it("shows exactly what would run, where and with what, and answers with its hash", async () => {
    const { id, fake } = waiting({}, { toolId: "run_command", command });
    await show(fake, id);
    expect(document.querySelector(".command")?.textContent).toBe("rm -rf U+202Etxt.exe");
    for (const fact of ["/p", "PATH", "off", "writes ask"]) expect(screen.getByText(fact)).toBeTruthy();
    await press("Approve");
    expect(resolution(fake)).toEqual([
      {
        decision: "approve",
        hunks: null,
        edited: null,
        command: null,
        note: null,
        previewHash: "e",
        keep: null,
      },
    ]);
  });

  it("runs the user's own command in its place", async () => {
    const { id, fake } = waiting({}, { toolId: "run_command", command });
    await show(fake, id);
    await press("Edit command");
    const box = screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Command to run instead" });
    expect(box.value).toBe(command.command);
    await userEvent.clear(box);
    await press("Approve");
    expect(resolution(fake)).toEqual([]);
    await userEvent.type(box, "ls");
    await press("Approve");
    expect(resolution(fake)).toMatchObject([{ decision: "approve", command: "ls", previewHash: "e" }]);
  });

  it("goes back to the model's command with Escape", async () => {
    const { id, fake } = waiting({}, { toolId: "run_command", command });
    await show(fake, id);
    await press("Edit command");
    await userEvent.keyboard("x{Escape}");
    await press("Approve");
    expect(resolution(fake)).toMatchObject([{ decision: "approve", command: null }]);
  });

  it("can be rejected with a note", async () => {
    const { id, fake } = waiting({}, { toolId: "run_command", command });
    await show(fake, id);
    await userEvent.type(screen.getByRole("textbox", { name: "Note to the model" }), "why?");
    await press("Reject");
    expect(resolution(fake)).toMatchObject([{ decision: "reject", note: "why?" }]);
  });
});

describe("an approval for longer than once", () => {
  const rule = '{"decision":"allow","tool":"run_command","command":["cargo","fetch"],"project":"/p"}';
  const command = {
    command: "cargo fetch",
    directory: "/p",
    environment: [],
    sandbox: "off",
    previewHash: "e",
  };
  const keeping = (payload: Record<string, unknown>) => waiting({ proposed_rule: () => rule }, payload);

  it("says what it would allow, has the exact rule at hand, and sends back just that", async () => {
    for (const [name, scope, sentence] of [
      ["Approve for this session", "session", "Allow commands that begin with cargo fetch for this session"],
      ["Always approve", "always", "Always allow commands that begin with cargo fetch in this folder"],
    ] as const) {
      const { id, fake } = keeping({ toolId: "run_command", command });
      const { unmount } = await show(fake, id);
      const button = await screen.findByRole("button", { name });
      const described = document.getElementById(button.getAttribute("aria-describedby") ?? "");
      expect(described?.textContent).toBe(sentence);
      await userEvent.click(screen.getByText("Show rule"));
      expect(screen.getByText(rule)).toBeDefined();
      await press(name);
      expect(resolution(fake)).toMatchObject([
        { decision: "approve", command: null, hunks: null, previewHash: "e", keep: { scope, rule } },
      ]);
      unmount();
    }
  });

  it("shows every rule that would be stored, and sends back all of them", async () => {
    const rules = `${rule}\n${rule.replace("fetch", "publish")}`;
    const { id, fake } = waiting({ proposed_rule: () => rules }, { toolId: "run_command", command });
    await show(fake, id);
    const button = await screen.findByRole("button", { name: "Always approve" });
    const described = document.getElementById(button.getAttribute("aria-describedby") ?? "");
    expect(described?.textContent).toContain("cargo fetch");
    expect(described?.textContent).toContain("cargo publish");
    await press("Always approve");
    expect(resolution(fake)).toMatchObject([{ keep: { scope: "always", rule: rules } }]);
  });

  it("has keys of its own, and Ctrl+Enter still approves once", async () => {
    for (const [keys, keep] of [
      ["{Control>}{Shift>}{Enter}{/Shift}{/Control}", { scope: "session", rule }],
      ["{Control>}{Alt>}{Enter}{/Alt}{/Control}", { scope: "always", rule }],
      ["{Control>}{Enter}{/Control}", null],
    ] as const) {
      const { id, fake } = keeping({ toolId: "run_command", command });
      const { unmount } = await show(fake, id);
      await screen.findByRole("button", { name: "Always approve" });
      await userEvent.keyboard(keys);
      expect(resolution(fake)).toMatchObject([{ decision: "approve", keep }]);
      unmount();
    }
  });

  it("takes a change of files whole, and is gone once a hunk is decided otherwise", async () => {
    const { id, fake } = keeping({ preview: previewOf(diff) });
    const { unmount } = await show(fake, id);
    await screen.findByRole("button", { name: "Always approve" });
    await press("Approve for this session");
    expect(resolution(fake)).toMatchObject([{ hunks: null, edited: null, keep: { scope: "session", rule } }]);
    unmount();
    const other = keeping({ preview: previewOf(diff) });
    await show(other.fake, other.id);
    await screen.findByRole("button", { name: "Always approve" });
    await press("Reject hunk");
    expect(buttons("Always approve")).toHaveLength(0);
    await userEvent.keyboard("{Control>}{Shift>}{Enter}{/Shift}{/Control}");
    expect(resolution(other.fake)).toEqual([]);
  });

  it("is not offered for the user's own command, nor where there is no rule", async () => {
    const { id, fake } = keeping({ toolId: "run_command", command });
    const { unmount } = await show(fake, id);
    await screen.findByRole("button", { name: "Always approve" });
    await press("Edit command");
    expect(buttons("Always approve")).toHaveLength(0);
    unmount();
    const none = waiting({}, { toolId: "run_command", command });
    await show(none.fake, none.id);
    expect(buttons("Approve")).toHaveLength(1);
    expect(buttons("Always approve")).toHaveLength(0);
  });
});

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
