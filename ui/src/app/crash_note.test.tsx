import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { createFake } from "../testing/fake";
import { renderOn, sent } from "../testing/render";
import { App } from "./App";

it("a crash is told at the next start, its report can be read, and goes when the user says so", async () => {
  const crash_report = () => ({ at: Date.UTC(2026, 10, 21, 9, 30), text: "arki-desktop 0.1.0\npanicked" });
  const fake = createFake({ handlers: { crash_report } });
  await renderOn(fake, <App />);
  const note = await screen.findByRole("region", { name: "Crash report" });
  expect(note.textContent).toContain("panicked");
  await userEvent.click(screen.getByRole("button", { name: "Remove report" }));
  await waitFor(() => expect(screen.queryByRole("region", { name: "Crash report" })).toBeNull());
  expect(sent(fake, "remove_crash_reports")).toHaveLength(1);
});
