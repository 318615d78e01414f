import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";
import { buttons, press, show, waiting as waitingFor } from "../../testing/approvals";
import { sent } from "../../testing/render";
import { previewOf } from "../../testing/scenes";

/** A file of 40 lines, of which the hunks change the 2nd and the 12th. */
const lineAt = (number: number) => ({ 1: "one", 2: "two", 11: "x", 12: "y" })[number] ?? `line ${number}`;
const context = ({ from, lines }: { from: number; lines: number }) => ({
  lines: Array.from({ length: Math.min(lines, 41 - from) }, (_, at) => lineAt(from + at)),
  total: 40,
});
const diff = `--- a/src/a.rs
+++ b/src/a.rs
@@ -1,5 +1,5 @@
 one
-two
+TWO
 line 3
 line 4
 line 5
@@ -9,7 +9,7 @@
 line 9
 line 10
 x
-y
+Y
 line 13
 line 14
 line 15
`;
const waiting = (handlers: Parameters<typeof waitingFor>[0]) =>
  waitingFor(handlers, { preview: previewOf(diff) });
const texts = () => [...document.querySelectorAll(".diff-text")].map((line) => line.textContent);

it("shows lines between hunks once, and below them to the file's end", async () => {
  const { fake, id, approvalId } = waiting({ review_context: context });
  await show(fake, id);
  // The first begins the file.
  expect(buttons("Show lines above")).toHaveLength(1);
  await press("Show lines above");
  await waitFor(() => expect(document.body.textContent).toContain("line 8"));
  expect(sent(fake, "review_context")).toEqual([{ approvalId, path: "src/a.rs", from: 8, lines: 2 }]);
  expect(document.body.textContent).not.toContain("line 7");
  // The second has its half; the first shows the other.
  expect(buttons("Show lines above")).toHaveLength(0);
  await waitFor(() => expect(document.activeElement?.getAttribute("data-hunk")).toBe("2"));
  await press("Show lines below");
  await waitFor(() => expect(document.body.textContent).toContain("line 6"));
  for (const line of ["line 5", "line 6", "line 7", "line 8", "line 9"]) {
    expect(texts().filter((text) => text === line)).toHaveLength(1);
  }
  await press("Show lines below");
  await waitFor(() => expect(document.body.textContent).toContain("line 35"));
  await press("Show lines below");
  await waitFor(() => expect(document.body.textContent).toContain("line 40"));
  expect(texts().filter((text) => text?.includes("line 20"))).toHaveLength(1);
});

it("says that the file has changed where its lines no longer meet the hunk's", async () => {
  const moved = (asked: { from: number; lines: number }) => {
    const { lines, total } = context(asked);
    return { lines: lines.map((line) => `${line}!`), total };
  };
  const { fake, id } = waiting({ review_context: moved });
  await show(fake, id);
  await press("Show lines above");
  expect((await screen.findByRole("alert")).textContent).toContain("src/a.rs has changed since this preview");
  expect(document.body.textContent).not.toContain("line 8!");
});

it("fetches the same lines once, however quickly one presses", async () => {
  const { fake, id } = waiting({ review_context: context });
  await show(fake, id);
  for (const [name, at] of [
    ["Show lines above", 0],
    ["Show lines below", 1],
  ] as const) {
    const button = buttons(name)[at] as HTMLElement;
    const before = sent(fake, "review_context").length;
    fireEvent.click(button);
    fireEvent.click(button);
    await waitFor(() => expect(document.body.textContent).toContain(at === 0 ? "line 8" : "line 35"));
    expect(sent(fake, "review_context")).toHaveLength(before + 1);
  }
  expect(texts().filter((text) => text?.includes("line 8"))).toHaveLength(1);
  expect(texts().filter((text) => text?.includes("line 20"))).toHaveLength(1);
  // What follows is fetched as before.
  await press("Show lines below", 1);
  await waitFor(() => expect(document.body.textContent).toContain("line 40"));
});

it("offers nothing below a hunk that has the file's end", async () => {
  const { fake, id } = waitingFor({ review_context: context });
  await show(fake, id);
  expect(buttons("Show lines above")).toHaveLength(1);
  expect(buttons("Show lines below")).toHaveLength(1);
  await press("Show lines below");
  expect(buttons("Show lines below")).toHaveLength(0);
});
