/** An approval that waits, as a window shows it, and what becomes of it. */
import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { Changes } from "../features/review/Changes";
import type { PayloadOf } from "../protocol/events";
import { eventLog } from "./events";
import { createFake, type Fake } from "./fake";
import { renderOn, sent } from "./render";
import { previewOf } from "./scenes";

/** Two files with three hunks. */
export const diff =
  "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1,2 +1,2 @@\n one\n-two\n+TWO\n@@ -11,2 +11,2 @@\n x\n-y\n+Y\n" +
  "--- a/src/b.rs\n+++ b/src/b.rs\n@@ -1 +1 @@\n-b\n+B\n";
export const hash = "f".repeat(64);
let session = 0;

/** A new approval each time: drafts are kept by approval id. */
export function waiting(
  handlers: Parameters<typeof createFake>[0]["handlers"] = {},
  payload: Partial<PayloadOf<"approval.requested">> = { preview: previewOf(diff) },
) {
  session += 1;
  const id = `s${session}`;
  const { events, add } = eventLog(id);
  add("tool.call", { callId: "c", toolId: "edit_file", args: {} });
  add("approval.requested", {
    approvalId: `a${session}`,
    callId: "c",
    toolId: "edit_file",
    args: {},
    risk: "low",
    reason: "writes ask",
    ...payload,
  });
  return { id, approvalId: `a${session}`, add, fake: createFake({ logs: { [id]: events }, handlers }) };
}

export const show = (fake: Fake, id: string) => renderOn(fake, <Changes sessionId={id} focusRequest={1} />);
export const resolution = (fake: Fake) => sent(fake, "resolve_approval").map((params) => params.resolution);
export const buttons = (name: string) => screen.queryAllByRole("button", { name });
export const press = (name: string, at = 0) => {
  const button = buttons(name)[at];
  if (!button) throw new Error(`no ${name} ${at}`);
  return userEvent.click(button);
};
