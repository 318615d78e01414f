/** The card of an edit says how many lines were written, and what was decided. */
import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { eventLog } from "../testing/events";
import { createFake } from "../testing/fake";
import { renderOn } from "../testing/render";
import { sessionOf } from "../testing/sessions";
import { App } from "./App";

const diff = "--- a/a.ts\n+++ b/a.ts\n@@ -1,1 +1,2 @@\n-one\n+ONE\n+more\n@@ -9,1 +10,1 @@\n-nine\n+NINE\n";
const hunk = (index: number, oldStart: number, newStart: number, newLines: number) => ({
  ...{ index, path: "a.ts", oldStart, oldLines: 1, newStart, newLines },
});

it("an edit's card has its lines and its verdict, and names its file once when open", async () => {
  Object.assign(window, { innerWidth: 1440, innerHeight: 900 });
  const { events, add } = eventLog("s");
  add("session.created");
  add("run.started", { prompt: "go" });
  add("tool.call", { callId: "c", toolId: "edit_file", args: { path: "a.ts" }, category: "write" });
  add("approval.requested", {
    approvalId: "a",
    callId: "c",
    toolId: "edit_file",
    args: {},
    preview: {
      filesAffected: ["a.ts"],
      linesChanged: 5,
      diff,
      hunks: [hunk(1, 1, 1, 2), hunk(2, 9, 10, 1)],
      previewHash: "h",
    },
  });
  add("approval.resolved", { approvalId: "a", decision: "approve", hunks: [1], resolvedBy: "window" });
  add("file.changed", { path: "a.ts", callId: "c" });
  add("tool.result", { callId: "c", toolId: "edit_file", result: "Written." });
  add("run.completed", {});
  await renderOn(createFake({ sessions: [sessionOf({})], logs: { s: events } }), <App />);
  await userEvent.click(screen.getByRole("button", { name: "One" }));
  const card = await screen.findByRole("button", { name: /^edit_file/ });
  expect(card.textContent).toContain("a.ts+2−1partly accepted");
  await userEvent.click(card);
  expect(screen.queryByText(/^Changed 1 file/)).toBeNull();
});
