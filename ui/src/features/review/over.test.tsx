/** An approval whose time is over is never sent as approved, whatever key is pressed. */
import { fireEvent, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { buttons, diff, hash, press, resolution, show, waiting } from "../../testing/approvals";
import { previewOf } from "../../testing/scenes";

const rule = '{"decision":"allow","tool":"run_command","command":["cargo"],"project":"/p"}';
const command = { command: "cargo test", directory: "/p", environment: [], sandbox: "", previewHash: "e" };
const large = { filesAffected: ["a"], linesChanged: 2, diffHash: hash, hunks: [], previewHash: hash };
const file = {
  path: "a",
  change: "modified",
  firstHunk: 1,
  hunks: 1,
  added: 1,
  removed: 1,
  bytes: 9,
} as const;
const plan = { intent: "Mend it", steps: ["Look"], calls: [] };
const kinds = [
  ["a change of files", { preview: previewOf(diff) }],
  ["a change that comes in pages", { preview: large }],
  ["a command", { toolId: "run_command", command }],
  ["a plan", { kind: "plan", callId: null, toolId: "plan", args: plan }],
  ["a pipeline's gate", { kind: "gate", callId: null, toolId: "approval", args: { message: "Go?" } }],
] as const;
const keys = [
  "{Control>}{Enter}{/Control}",
  "{Control>}{Shift>}{Enter}{/Shift}{/Control}",
  "{Control>}{Alt>}{Enter}{/Alt}{/Control}",
];

for (const [what, payload] of kinds)
  it(`only rejects ${what}`, async () => {
    const handlers = { proposed_rule: () => rule, review_files: () => [file] };
    const { fake, id } = waiting(handlers, { ...payload, timeoutSeconds: 1 });
    await show(fake, id);
    const note = await screen.findByRole("textbox", { name: /^Note/ });
    for (const key of keys) await userEvent.type(note, key);
    expect(resolution(fake)).toEqual([]);
    await press(buttons("Reject all").length > 0 ? "Reject all" : "Reject");
    expect(resolution(fake)).toMatchObject([{ decision: "reject" }]);
  });

it("rejects all of a change of which a part was accepted before", async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const { fake, id } = waiting({}, { preview: previewOf(diff), timeoutSeconds: 60 * 60 * 24 * 365 * 100 });
  await show(fake, id);
  fireEvent.click(buttons("Accept hunk")[0] as HTMLElement);
  vi.setSystemTime(Date.now() + 1000 * 60 * 60 * 24 * 365 * 200);
  await waitFor(() => expect(buttons("Accept all")).toHaveLength(0));
  fireEvent.click(buttons("Reject all")[0] as HTMLElement);
  expect(resolution(fake)).toMatchObject([{ decision: "reject", hunks: null }]);
  vi.useRealTimers();
});
