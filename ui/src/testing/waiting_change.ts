/** A session in which one change of files waits for a decision. */
import { eventLog } from "./events";
import { createFake, type Fake } from "./fake";
import { previewOf } from "./scenes";

let session = 0;

/** A new session and approval each time: drafts are kept by approval. */
export function waitingChange(diff: string): { id: string; fake: Fake } {
  session += 1;
  const id = `waiting${session}`;
  const { events, add } = eventLog(id);
  add("tool.call", { callId: "c", toolId: "apply_patch", args: {} });
  add("approval.requested", {
    approvalId: `change${session}`,
    callId: "c",
    toolId: "apply_patch",
    args: {},
    risk: "low",
    reason: "writes ask",
    preview: previewOf(diff),
  });
  return { id, fake: createFake({ logs: { [id]: events } }) };
}
