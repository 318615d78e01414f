import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import type { LineOrigin } from "../../protocol/generated";
import { eventLog } from "../../testing/events";
import { createFake, fail } from "../../testing/fake";
import { lines, preview } from "../../testing/history_scenes";
import { renderOn, sent } from "../../testing/render";
import { ChangedFiles } from "./ChangedFiles";
import { CommitDialog } from "./CommitDialog";
import { LinesDialog } from "./LinesDialog";
import { firstWords, originRuns, whoWrote } from "./lines";
import { RewindDialog } from "./RewindDialog";
import { TakeBackDialog } from "./TakeBackDialog";

function log() {
  const { events, add } = eventLog("s");
  add("run.started", { prompt: "one" });
  add("run.started", { prompt: "two" });
  add("output.message", { role: "assistant", content: "answer" });
  add("file.changed", { path: "a.rs", callId: "c" });
  add("file.changed", { path: "a.rs", callId: "d" });
  return events;
}

const fakeWith = (given: Parameters<typeof createFake>[0] = {}) =>
  createFake({ logs: { s: log() }, history: { preview, lines }, ...given });

describe("rewinding", () => {
  const open = async (fake = fakeWith()) => {
    const onDone = vi.fn();
    await renderOn(
      fake,
      <RewindDialog sessionId="s" toSeq={1} undoes={null} onClose={() => {}} onDone={onDone} />,
    );
    const dialog = await screen.findByRole("dialog", { name: "Rewind to this message" });
    return { fake, onDone, dialog };
  };

  it("names every file with what happens to it, conflicts first, and counts what goes", async () => {
    const { dialog, fake } = await open();
    const files = within(dialog).getByRole("list", { name: "Files" });
    const shown = [...files.children].map((row) => row.textContent ?? "");
    expect(shown).toHaveLength(4);
    expect(shown[0]).toContain("lib.rsyou changed the same lines later! left alone");
    expect(shown.map((row) => /left alone|deleted|restored|kept/.exec(row)?.[0])).toEqual([
      "left alone",
      "deleted",
      "restored",
      "kept",
    ]);
    expect(within(dialog).getByRole("region", { name: "crates/view/src/app.rs" }).textContent).toContain(
      "Widget",
    );
    const rewind = within(dialog).getByRole("button", { name: "Rewind" });
    const about = document.getElementById(rewind.getAttribute("aria-describedby") ?? "")?.textContent;
    expect(about).toBe("2 messages reverted, 2 files changed");
    expect(sent(fake, "rewind")).toEqual([]);
  });

  it("does what was chosen, and hands back what was said", async () => {
    const { fake, onDone } = await open();
    await userEvent.click(screen.getByRole("radio", { name: /^Conversation Revert/ }));
    expect(await screen.findByText("No files change.")).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Rewind" }));
    expect(sent(fake, "rewind")).toEqual([{ sessionId: "s", toSeq: 1, files: false, conversation: true }]);
    expect(onDone).toHaveBeenCalledExactlyOnceWith({ text: "two", pictures: [] });
  });

  it("stays open and says why when it was refused", async () => {
    const fake = fakeWith({ handlers: { rewind: () => fail("SESSION_BUSY", "A run is in progress.") } });
    const { onDone } = await open(fake);
    await userEvent.click(screen.getByRole("button", { name: "Rewind" }));
    expect((await screen.findByRole("alert")).textContent).toContain("A run is in progress.");
    expect(onDone).not.toHaveBeenCalled();
  });
});

describe("taking back one change", () => {
  it("shows what happens first, and is not offered where nothing can be written", async () => {
    const conflict = { changes: preview.changes.slice(1, 2), diff: "" };
    const fake = fakeWith({ history: { preview: conflict } });
    await renderOn(
      fake,
      <TakeBackDialog sessionId="s" seq={4} path="a.rs" onClose={() => {}} onDone={() => {}} />,
    );
    expect(await screen.findByText(/Later edits touch the same lines/)).toBeTruthy();
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Revert" }).disabled).toBe(true);
  });

  it("is done once it is confirmed", async () => {
    const fake = fakeWith();
    const onDone = vi.fn();
    await renderOn(
      fake,
      <TakeBackDialog sessionId="s" seq={4} path="a.rs" onClose={() => {}} onDone={onDone} />,
    );
    await userEvent.click(await screen.findByRole("button", { name: "Revert" }));
    expect(sent(fake, "take_back")).toEqual([{ sessionId: "s", seq: 4 }]);
    expect(onDone).toHaveBeenCalledOnce();
  });
});

describe("who wrote this", () => {
  it("lists each changed file with how often, leading to its lines", async () => {
    const onLines = vi.fn();
    const onTakeBack = vi.fn();
    await renderOn(
      fakeWith(),
      <ChangedFiles
        sessionId="s"
        onLines={onLines}
        onTakeBack={onTakeBack}
        onEditor={vi.fn()}
        onReveal={vi.fn()}
        onCommit={vi.fn()}
        onRevert={vi.fn()}
        onAsk={vi.fn()}
      />,
    );
    expect((await screen.findAllByText("+2")).length).toBeGreaterThan(0);
    await userEvent.click(screen.getByRole("button", { name: "Who wrote this: a.rs" }));
    await userEvent.click(screen.getByRole("button", { name: "Revert last change to a.rs" }));
    expect(onLines).toHaveBeenCalledExactlyOnceWith("a.rs");
    expect(onTakeBack).toHaveBeenCalledExactlyOnceWith("a.rs", 5);
  });

  it("tells how much each file changed, what became of it, and which is as before", async () => {
    const log = eventLog("s");
    for (const path of ["a.rs", "b.rs", "c.rs"]) log.add("file.changed", { path });
    const of = (path: string, isCommitted: boolean) => ({
      path,
      change: "modified" as const,
      added: 3,
      removed: 1,
      isChangedSince: !isCommitted,
      isCommitted,
    });
    const files = [of("a.rs", true), of("c.rs", false)];
    const fake = createFake({
      logs: { s: log.events },
      handlers: { session_result: () => ({ files, message: "Go", branch: "main" }) },
    });
    const does = { onLines: vi.fn(), onTakeBack: vi.fn(), onEditor: vi.fn(), onReveal: vi.fn() };
    const all = { onCommit: vi.fn(), onRevert: vi.fn(), onAsk: vi.fn() };
    await renderOn(fake, <ChangedFiles sessionId="s" {...does} {...all} />);
    await screen.findByText("as before");
    const rows = screen.getAllByRole("listitem").map((row) => row.textContent);
    expect(rows).toEqual([
      "a.rscommitted+3−1Revert last",
      "c.rschanged by you since+3−1Revert last",
      "b.rsas before",
    ]);
    await userEvent.click(screen.getByRole("button", { name: "Commit…" }));
    await userEvent.click(screen.getByRole("button", { name: "Revert all…" }));
    expect([all.onCommit, all.onRevert].map((one) => one.mock.calls.length)).toEqual([1, 1]);
  });

  it("shows a file's change as one and asks about a place in it", async () => {
    const log = eventLog("s");
    log.add("file.changed", { path: "a.rs" });
    const diff = "diff --git a/a.rs b/a.rs\n--- a/a.rs\n+++ b/a.rs\n@@ -4 +4 @@\n-old\n+new\n";
    const handlers = { replay_file: () => ({ path: "a.rs", diff, text: "new\n", isCut: false }) };
    const does = { onLines: vi.fn(), onTakeBack: vi.fn(), onEditor: vi.fn(), onReveal: vi.fn() };
    const onAsk = vi.fn();
    const all = { onCommit: vi.fn(), onRevert: vi.fn(), onAsk };
    await renderOn(
      createFake({ logs: { s: log.events }, handlers }),
      <ChangedFiles sessionId="s" {...does} {...all} />,
    );
    await userEvent.click(screen.getByRole("button", { name: "Show changes of a.rs" }));
    await userEvent.click(await screen.findByRole("button", { name: "Ask for a change" }));
    expect(onAsk).toHaveBeenCalledExactlyOnceWith("`a.rs:4`\n> new\n\n");
  });

  it("commits with the proposed message, and says what stayed out and what wasn't run", async () => {
    const log = eventLog("s");
    log.add("file.changed", { path: "a.rs" });
    const notRun = ["pre-commit", "commit.gpgSign"];
    const left = { commit: "abc", files: ["a.rs"], mixed: ["b.rs"], leftOut: [], notRun };
    const fake = createFake({ logs: { s: log.events }, handlers: { commit_changes: () => left } });
    const onDone = vi.fn();
    await renderOn(fake, <CommitDialog sessionId="s" onClose={vi.fn()} onDone={onDone} />);
    const message = await screen.findByRole<HTMLTextAreaElement>("textbox", { name: "Message" });
    await waitFor(() => expect(message.value).toBe("Change it"));
    await userEvent.type(message, " now");
    await userEvent.click(screen.getByRole("button", { name: "Commit" }));
    await waitFor(() =>
      expect(onDone).toHaveBeenCalledWith(
        "Committed 1 file as abc. Left out: b.rs. Not run: pre-commit, signing (commit.gpgSign).",
      ),
    );
    expect(fake.calls.find(({ name }) => name === "commit_changes")?.params).toEqual({
      sessionId: "s",
      message: "Change it now",
    });
  });

  it("goes through the lines by keyboard and tells of each who, with what and when", async () => {
    const onTakeBack = vi.fn<(line: LineOrigin) => void>();
    await renderOn(
      fakeWith(),
      <LinesDialog
        sessionId="s"
        path="lib.rs"
        onClose={() => {}}
        onTakeBack={onTakeBack}
        onShow={() => {}}
      />,
    );
    const list = await screen.findByRole("listbox", { name: "Lines and who wrote them" });
    const details = () => document.querySelector(".line-details")?.textContent ?? "";
    expect(details()).toContain(
      "Line 4: Arki turn 2 · Rename Widget to Panel everywhere. · edit_file · approved",
    );
    list.focus();
    await userEvent.keyboard("{ArrowDown}");
    expect(details()).toBe("Line 5: was there before this session.");
    await userEvent.keyboard("jj");
    expect(details()).toContain("Line 8");
    await userEvent.keyboard("j");
    expect(details()).toContain("turn 1 · Now keep the old name working. · edit_file · no approval needed");
    await userEvent.click(screen.getByRole("button", { name: "Revert this change" }));
    expect(onTakeBack.mock.calls[0]?.[0].seq).toBe(15);
    await userEvent.click(list);
    await userEvent.keyboard("{End}");
    expect(details()).toContain("you wrote it");
  });

  it("joins the neighbouring lines of one change, and cuts a prompt between words", () => {
    expect(originRuns(lines).map((run) => [run.first, run.count])).toEqual([
      [0, 3],
      [3, 1],
      [4, 2],
      [6, 1],
      [7, 1],
      [8, 3],
      [11, 1],
      [12, 4],
    ]);
    const line = lines[3] as LineOrigin;
    expect(whoWrote({ ...line, prompt: null, turn: null })).toBe("Arki");
    expect(firstWords("a b\nc")).toBe("a b");
    expect(firstWords(`${"word ".repeat(20)}`)).toBe(`${"word ".repeat(7)}word…`);
    expect(firstWords("x".repeat(99))).toHaveLength(21);
  });

  it("says so when the file can't be looked up", async () => {
    const fake = fakeWith({ handlers: { line_origins: () => fail("NOT_FOUND", "The file is gone.") } });
    await renderOn(
      fake,
      <LinesDialog sessionId="s" path="x" onClose={() => {}} onTakeBack={() => {}} onShow={() => {}} />,
    );
    await waitFor(() => expect(screen.getByRole("alert").textContent).toContain("The file is gone."));
  });
});
