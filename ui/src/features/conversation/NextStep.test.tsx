import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { render } from "../../testing/render";
import { NextStep } from "./FootNotes";

const words = () => screen.queryByText(/^The change is in your folder/);

it("says what comes next after the first change, until something is said, and never again", () => {
  const { rerender, unmount } = render(<NextStep sessionId="s" hasChanged={false} isIdle />);
  expect(words()).toBeNull();
  rerender(<NextStep sessionId="s" hasChanged isIdle={false} />);
  expect(words()).toBeNull();
  rerender(<NextStep sessionId="s" hasChanged isIdle />);
  expect(words()).not.toBeNull();
  rerender(<NextStep sessionId="s" hasChanged isIdle={false} />);
  rerender(<NextStep sessionId="s" hasChanged isIdle />);
  expect(words()).toBeNull();
  unmount();
  render(<NextStep sessionId="t" hasChanged isIdle />);
  expect(words()).toBeNull();
});
