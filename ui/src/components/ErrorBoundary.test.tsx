import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ErrorBoundary } from "./ErrorBoundary";

let isBroken = true;

function Fragile() {
  if (isBroken) throw new Error("no such step");
  return <p>all is well</p>;
}

describe("a part that can't be drawn", () => {
  // React tells of what it caught on the console, too.
  beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => undefined));
  afterEach(() => {
    isBroken = true;
    vi.restoreAllMocks();
  });

  const shown = (about: string) => (
    <>
      <ErrorBoundary part="The plan" about={about}>
        <Fragile />
      </ErrorBoundary>
      <p>the rest</p>
    </>
  );

  it("says so in its place, with what to do, and leaves the rest alone", () => {
    render(shown("one"));
    const alert = screen.getByRole("alert");
    expect(alert.textContent).toContain("The plan can't be shown: no such step");
    expect(alert.textContent).toContain("You lose nothing");
    expect(screen.getByRole("button", { name: "Reload window" })).toBeTruthy();
    expect(screen.getByText("the rest")).toBeTruthy();
  });

  it("is drawn again where that is asked for", async () => {
    render(shown("one"));
    await userEvent.click(screen.getByRole("button", { name: "Try again" }));
    expect(screen.getByRole("alert")).toBeTruthy();
    isBroken = false;
    await userEvent.click(screen.getByRole("button", { name: "Try again" }));
    expect(screen.queryByRole("alert")).toBeNull();
    expect(screen.getByText("all is well")).toBeTruthy();
  });

  it("is drawn again when it is about something else", () => {
    const view = render(shown("one"));
    isBroken = false;
    view.rerender(shown("one"));
    expect(screen.getByRole("alert")).toBeTruthy();
    view.rerender(shown("two"));
    expect(screen.getByText("all is well")).toBeTruthy();
  });
});
