import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, test } from "vitest";
import { Switch } from "./Switch";

/** What was asked of the lamp, and how to let the oldest of it end, well or not. */
class Wiring {
  readonly asked: boolean[] = [];
  private readonly waiting: ((works: boolean) => void)[] = [];

  ask(on: boolean) {
    this.asked.push(on);
    return new Promise<boolean>((resolve) => this.waiting.push(resolve));
  }

  end(works: boolean) {
    this.waiting.shift()?.(works);
  }
}

function Lamp({ wiring }: { wiring: Wiring }) {
  const [isLit, setLit] = useState(false);
  const turn = async (on: boolean) => {
    if (await wiring.ask(on)) setLit(on);
  };
  return (
    <>
      <Switch label="Lamp" checked={isLit} onChange={turn} />
      <p>{isLit ? "lit" : "dark"}</p>
    </>
  );
}

const isOn = () => screen.getByRole<HTMLInputElement>("switch", { name: "Lamp" }).checked;
const click = () => userEvent.click(screen.getByRole("switch", { name: "Lamp" }));

test("a second click means the opposite of the first, even before that is carried out", async () => {
  const wiring = new Wiring();
  render(<Lamp wiring={wiring} />);
  await click();
  expect(isOn()).toBe(true);
  await click();
  expect(isOn()).toBe(false);
  expect(wiring.asked).toEqual([true]);
  wiring.end(true);
  await screen.findByText("lit");
  await waitFor(() => expect(wiring.asked).toEqual([true, false]));
  expect(isOn()).toBe(false);
  wiring.end(true);
  await screen.findByText("dark");
  expect(isOn()).toBe(false);
});

test("a choice that failed is taken back", async () => {
  const wiring = new Wiring();
  render(<Lamp wiring={wiring} />);
  await click();
  expect(isOn()).toBe(true);
  wiring.end(false);
  await waitFor(() => expect(isOn()).toBe(false));
});
