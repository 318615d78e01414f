import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { waiting } from "../../testing/approvals";
import type { Fake } from "../../testing/fake";
import { renderOn, sent } from "../../testing/render";
import { previewOf } from "../../testing/scenes";
import { Changes } from "./Changes";
import { progressOf } from "./file_list";

vi.mock("./file_list", async (original) => {
  const all = await original<typeof import("./file_list")>();
  return { ...all, progressOf: vi.fn(all.progressOf) };
});
/** What was drawn of the names, here and elsewhere. */
const drawn = vi.hoisted((): string[] => []);
vi.mock("../../components/code/VisibleText", () => ({
  VisibleText: ({ text }: { text: string }) => {
    drawn.push(text);
    return text;
  },
}));

const one = (path: string, hunks = 1) =>
  `--- a/${path}\n+++ b/${path}\n${Array.from({ length: hunks }, (_, at) => `@@ -${at * 9 + 1} +${at * 9 + 1} @@\n-a\n+b\n`).join("")}`;
const four = one("README.md") + one("src/a.rs", 2) + one("src/b.rs") + one("src/x/c.rs");

async function show(diff: string, preview = previewOf(diff)): Promise<Fake> {
  const { id, fake } = waiting({}, { preview });
  await renderOn(fake, <Changes sessionId={id} focusRequest={1} />);
  return fake;
}

const list = () => screen.getByRole("list", { name: "Files in this change" });
const row = (path: string) => within(list()).getByRole("button", { name: path });
const said = (path: string) =>
  document.getElementById(row(path).getAttribute("aria-describedby") ?? "")?.textContent;
const resolutions = (fake: Fake) => sent(fake, "resolve_approval").map(({ resolution }) => resolution);

describe("the list of files", () => {
  afterEach(() => void drawn.splice(0));

  it("is not drawn again for what is typed, and only the rows that change for what is done", async () => {
    await show(four);
    const named = (name: string) => drawn.filter((one) => one === name).length;
    await userEvent.keyboard("f");
    drawn.splice(0);
    await userEvent.keyboard("{ArrowDown}");
    expect([named("README.md"), named("a.rs"), named("b.rs"), named("c.rs")]).toEqual([1, 1, 0, 0]);
    vi.mocked(progressOf).mockClear();
    await userEvent.type(screen.getByRole("textbox", { name: "Note to the model" }), "so");
    expect(progressOf).not.toHaveBeenCalled();
  });
  it("is there with more than three files only", async () => {
    await show(one("a") + one("b") + one("c"));
    expect(screen.queryByRole("list", { name: "Files in this change" })).toBeNull();
  });

  it("has each file's state and counts, and leads to the file", async () => {
    await show(four);
    expect(said("src/a.rs")).toBe("undecided, 2 lines added, 2 removed");
    await userEvent.click(row("src/b.rs"));
    await waitFor(() => expect(document.activeElement?.getAttribute("data-hunk")).toBe("4"));
  });

  it("counts no decisions where the change is decided as a whole", async () => {
    const preview = previewOf(four);
    await show(four, { ...preview, hunks: preview.hunks.slice(1) });
    expect(screen.queryByText(/files decided/)).toBeNull();
    expect(said("src/a.rs")).toBe("decided with the whole change, 2 lines added, 2 removed");
  });

  it("leads to a file that was folded", async () => {
    await show(four);
    const region = screen.getByRole("region", { name: "src/x/c.rs" });
    await userEvent.click(within(region).getByRole("button", { name: "Fold" }));
    await userEvent.click(row("src/x/c.rs"));
    await waitFor(() => expect(document.activeElement?.getAttribute("data-hunk")).toBe("5"));
  });

  it("decides files by keys alone, and goes on to the next undecided one", async () => {
    const fake = await show(four);
    await userEvent.keyboard("f");
    await waitFor(() => expect(document.activeElement).toBe(row("README.md")));
    await userEvent.keyboard("{ArrowDown}a");
    expect(said("src/a.rs")).toContain("accepted");
    await waitFor(() => expect(document.activeElement).toBe(row("src/b.rs")));
    await userEvent.keyboard("r");
    expect(said("src/b.rs")).toContain("rejected");
    await waitFor(() => expect(document.activeElement).toBe(row("src/x/c.rs")));
    await userEvent.keyboard("{Home}{ArrowDown}u");
    expect(said("src/a.rs")).toContain("undecided");
    await userEvent.keyboard("{Enter}a");
    expect(said("src/a.rs")).toBe("1 of 2 hunks left, 2 lines added, 2 removed");
    await userEvent.keyboard("r");
    expect(said("src/a.rs")).toContain("partly accepted");
    expect(resolutions(fake)).toEqual([]);
    expect(screen.getByText("2 of 4 files decided")).toBeTruthy();
    await userEvent.keyboard("f{End}a{Home}a");
    expect(resolutions(fake)).toMatchObject([{ decision: "approve", hunks: [1, 2, 5] }]);
  });

  it("decides files with the mouse", async () => {
    await show(four);
    const of = (path: string) => within(row(path).closest("li") as HTMLElement);
    await userEvent.click(of("src/a.rs").getByRole("button", { name: "Reject file" }));
    expect(said("src/a.rs")).toContain("rejected");
    await userEvent.click(of("src/a.rs").getByRole("button", { name: "Undo" }));
    expect(said("src/a.rs")).toContain("undecided");
    await waitFor(() => expect(document.activeElement).toBe(row("src/a.rs")));
  });
});
