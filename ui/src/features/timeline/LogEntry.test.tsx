import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { render } from "../../testing/render";
import { LogEntry } from "./LogEntry";

it("shows what hides in its words, and asks for its content once it is opened", async () => {
  const content = vi.fn(() => "all of\u202E it");
  render(
    <LogEntry title="Tool call" kind="tool.call" words={"a\u202Eb"} ts={0} exactTime="then" content={content}>
      <button type="button">Show in transcript</button>
    </LogEntry>,
  );
  const line = screen.getByRole("button", { expanded: false });
  expect(line.textContent).toMatch(/^Tool callaU\+202Eb\d\d:/);
  expect(content).not.toHaveBeenCalled();
  await userEvent.click(line);
  expect(document.querySelector("pre")?.textContent).toBe("all ofU+202E it");
  expect(screen.getByRole("button", { name: "Show in transcript" })).toBeTruthy();
});
