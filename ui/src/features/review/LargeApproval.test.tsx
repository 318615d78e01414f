import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { markLines } from "../../components/diff/rows";
import { buttons, hash, press, resolution, show, waiting } from "../../testing/approvals";
import { sent } from "../../testing/render";

vi.mock("../../components/diff/rows", async (original) => {
  const all = await original<typeof import("../../components/diff/rows")>();
  return { ...all, markLines: vi.fn(all.markLines) };
});

describe("a change that is too large to be sent at once", () => {
  const part = (lines: string) => `diff --git a/big.txt b/big.txt\n--- a/big.txt\n+++ b/big.txt\n${lines}`;
  const pages = [
    { text: part("@@ -1 +1 @@\n-a\n+A\n@@ -9 +9 @@\n-i\n"), next: 80 },
    { text: "+I\n", next: null },
  ];
  const preview = {
    filesAffected: ["big.txt", "gone.bin"],
    linesChanged: 4,
    diffHash: "d".repeat(64),
    hunks: [],
    previewHash: hash,
  };
  const files = [
    {
      path: "big.txt",
      change: "modified" as const,
      firstHunk: 1,
      hunks: 2,
      added: 2,
      removed: 2,
      bytes: 100,
    },
    { path: "gone.bin", change: "deleted" as const, firstHunk: 3, hunks: 1, added: 0, removed: 0, bytes: 50 },
  ];
  const given = (more: Parameters<typeof waiting>[0] = {}) =>
    waiting(
      {
        ...more,
        review_files: () => files,
        review_page: ({ file, from }) =>
          (file === 0 ? pages[from === 0 ? 0 : 1] : undefined) ?? { text: "", next: null },
      },
      { preview },
    );

  it("lists its files folded and asks for a file's diff only when it is unfolded, page by page", async () => {
    const { fake, id } = given();
    await show(fake, id);
    await screen.findByRole("region", { name: "gone.bin" });
    expect(sent(fake, "review_page")).toHaveLength(0);
    expect(buttons("Accept hunk")).toHaveLength(0);
    await press("Unfold");
    await waitFor(() => expect(buttons("Accept hunk")).toHaveLength(2));
    // The hunk that goes on in the next page waits for it.
    expect((buttons("Accept hunk")[1] as HTMLButtonElement).disabled).toBe(true);
    await press("Show more");
    await waitFor(() => expect((buttons("Accept hunk")[1] as HTMLButtonElement).disabled).toBe(false));
    screen.getByText("I");
    expect(buttons("Show more")).toHaveLength(0);
  });

  it("shows the lines around a hunk once all of it has come", async () => {
    const { fake, id } = given({
      review_context: ({ from, lines }) => ({
        lines: Array.from({ length: lines }, (_, at) =>
          from + at === 1 ? "a" : from + at === 9 ? "i" : `line ${from + at}`,
        ),
        total: 40,
      }),
    });
    await show(fake, id);
    await screen.findByRole("region", { name: "gone.bin" });
    await press("Unfold");
    await waitFor(() => expect(buttons("Accept hunk")).toHaveLength(2));
    expect(buttons("Show lines above")).toHaveLength(0);
    await press("Show lines below");
    await waitFor(() => expect(document.body.textContent).toContain("line 5"));
    expect(document.body.textContent).not.toContain("line 6");
    await press("Show more");
    await press("Show lines above");
    await waitFor(() => expect(document.body.textContent).toContain("line 6"));
  });

  it("draws no hunk anew for what is typed", async () => {
    const { fake, id } = given();
    await show(fake, id);
    await screen.findByRole("region", { name: "gone.bin" });
    await press("Unfold");
    await waitFor(() => expect(buttons("Accept hunk")).toHaveLength(2));
    vi.mocked(markLines).mockClear();
    await userEvent.type(screen.getByRole("textbox", { name: "Note to the model" }), "so");
    expect(markLines).not.toHaveBeenCalled();
  });

  it("is decided by hunk and by file, bound to the hash of the whole", async () => {
    const { fake, id } = given();
    await show(fake, id);
    await screen.findByRole("region", { name: "gone.bin" });
    await press("Unfold");
    await waitFor(() => expect(buttons("Accept hunk")).toHaveLength(2));
    await press("Accept hunk");
    await press("Unfold");
    await press("Reject file", 1);
    expect(resolution(fake)).toHaveLength(0);
    await press("Reject all");
    await waitFor(() => expect(resolution(fake)).toHaveLength(1));
    expect(resolution(fake)[0]).toMatchObject({ decision: "approve", hunks: [1], previewHash: hash });
  });

  it("can be allowed for longer than once, as long as nothing of it is decided otherwise", async () => {
    const rule = '{"decision":"allow","tool":"edit_file","path":"big.txt"}';
    const { fake, id } = given({ proposed_rule: () => rule });
    await show(fake, id);
    await screen.findByRole("button", { name: "Always approve" });
    await press("Unfold");
    await waitFor(() => expect(buttons("Accept hunk")).toHaveLength(2));
    await press("Accept hunk");
    expect(buttons("Always approve")).toHaveLength(0);
    const other = given({ proposed_rule: () => rule });
    await show(other.fake, other.id);
    await press("Approve for this session");
    await waitFor(() => expect(resolution(other.fake)).toHaveLength(1));
    const keep = { scope: "session", rule };
    expect(resolution(other.fake)[0]).toMatchObject({
      decision: "approve",
      hunks: null,
      previewHash: hash,
      keep,
    });
  });
});
