import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import type { CommandConfinement } from "../../protocol/generated";
import { show, waiting } from "../../testing/approvals";

const facts = {
  command: "python3 build.py",
  directory: "/home/you/app",
  environment: ["PATH"],
  sandbox: "seatbelt",
  previewHash: "e".repeat(64),
};

function asked(command: object) {
  const args = { command: facts.command };
  return waiting({}, { toolId: "run_command", args, preview: null, command: { ...facts, ...command } });
}

it("says how a command ended that was tried with the project read-only", async () => {
  const { fake, id } = asked({
    confinement: { network: false, writesProject: true },
    tried: { ending: "exit code 1", output: "out.txt: Read-only file system" },
  });
  await show(fake, id);
  expect(screen.getByText("With the project read-only it failed: exit code 1.")).toBeTruthy();
  expect(screen.getByText("out.txt: Read-only file system")).toBeTruthy();
});

it.each([
  ["namespaces, with network", "Confined by Linux namespaces, with network."],
  ["bubblewrap 0.8.0", "Confined by bubblewrap 0.8.0."],
])("says what %s is", async (sandbox, words) => {
  const { fake, id } = asked({ sandbox, confinement: { network: false, writesProject: true } });
  await show(fake, id);
  expect(screen.getByText(words)).toBeTruthy();
});

const whereItWrites: [Partial<CommandConfinement>, RegExp][] = [
  [{ lands: "reviewed" }, /You review its changes before they land; only generated folders/],
  [{ lands: "as_edits" }, /You review them first if they are many or unusual\./],
  [{ lands: "unasked" }, /Its changes land when it ends, without a review\./],
  [{}, /Writes directly to this folder, and nowhere else\./],
  [{ writesProject: false }, /Only reads\./],
];

it.each(whereItWrites)("says where a command's changes go: %o", async (confinement, words) => {
  const { fake, id } = asked({ confinement: { network: false, writesProject: true, ...confinement } });
  await show(fake, id);
  expect(screen.getByText(words)).toBeTruthy();
  expect(screen.queryAllByText(/Writes directly/)).toHaveLength(words.source.startsWith("Writes") ? 1 : 0);
});
