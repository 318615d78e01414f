import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { createFake } from "../../testing/fake";
import { renderOn, sent } from "../../testing/render";
import { ToolsDialog } from "./ToolsDialog";

const tools = [
  { name: "read_file", description: "📘 Reads a file.", category: "read", enabled: true },
  { name: "run_command", description: "Runs a command.", category: "exec", enabled: true },
  { name: "fetch_url", description: "Fetches a page.", category: "network", enabled: false },
] as const;

describe("the tools of a session", () => {
  it("are listed by what they do, and switched one by one or all on", async () => {
    const fake = createFake({ logs: { s: [] }, tools: [...tools] });
    await renderOn(fake, <ToolsDialog sessionId="s" onClose={() => {}} />);
    const command = await screen.findByRole("checkbox", { name: /run_command/ });
    expect(screen.getByRole("group", { name: "Run commands" }).contains(command)).toBe(true);
    expect(screen.getByText("Reads a file.")).toBeTruthy();
    expect(screen.getByText("1 of 3 are off.")).toBeTruthy();
    await userEvent.click(command);
    await waitFor(() => expect(screen.getByText("2 of 3 are off.")).toBeTruthy());
    await userEvent.click(screen.getByRole("button", { name: "Turn all on" }));
    await waitFor(() => expect(screen.getByText("All tools are on.")).toBeTruthy());
    expect(sent(fake, "switch_session_tools")).toEqual([
      { sessionId: "s", on: [], off: ["run_command"] },
      { sessionId: "s", on: ["run_command", "fetch_url"], off: [] },
    ]);
  });
});
