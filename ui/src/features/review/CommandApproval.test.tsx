import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { show, waiting } from "../../testing/approvals";

it("says how a command ended that was tried with the project read-only", async () => {
  const command = {
    command: "python3 build.py",
    directory: "/home/you/app",
    environment: ["PATH"],
    sandbox: "seatbelt",
    confinement: { network: false, writesProject: true },
    tried: { ending: "exit code 1", output: "out.txt: Read-only file system" },
    previewHash: "e".repeat(64),
  };
  const { fake, id } = waiting(
    {},
    { toolId: "run_command", args: { command: command.command }, preview: null, command },
  );
  await show(fake, id);
  expect(screen.getByText("With the project read-only it failed: exit code 1.")).toBeTruthy();
  expect(screen.getByText("out.txt: Read-only file system")).toBeTruthy();
});
