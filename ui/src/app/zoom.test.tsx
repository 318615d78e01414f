import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { createFake } from "../testing/fake";
import { renderOn } from "../testing/render";
import { App } from "./App";

const zoomed = (fake: ReturnType<typeof createFake>) => fake.zooms.at(-1);

it("zoom follows its keys, also while one writes, stops at its ends and is kept", async () => {
  const fake = createFake({});
  const view = await renderOn(fake, <App />);
  expect(zoomed(fake)).toBe(1);
  await userEvent.click(screen.getByRole("textbox", { name: "Message" }));
  await userEvent.keyboard("{Control>}={/Control}{Control>}+{/Control}");
  await waitFor(() => expect(zoomed(fake)).toBe(1.25));
  view.unmount();
  const again = createFake({});
  await renderOn(again, <App />);
  expect(zoomed(again)).toBe(1.25);
  await userEvent.keyboard("{Control>}-{/Control}");
  await waitFor(() => expect(zoomed(again)).toBe(1.1));
  for (let press = 0; press < 12; press += 1) await userEvent.keyboard("{Control>}-{/Control}");
  await waitFor(() => expect(zoomed(again)).toBe(0.5));
  await userEvent.keyboard("{Control>}0{/Control}");
  await waitFor(() => expect(zoomed(again)).toBe(1));
});

it("zoom follows its keys in dialogs too, and nothing behind a dialog does", async () => {
  const fake = createFake({});
  await renderOn(fake, <App />);
  await userEvent.keyboard("{Control>},{/Control}");
  const settings = await screen.findByRole("dialog", { name: "Settings" });
  await userEvent.keyboard("{Control>}={/Control}");
  await waitFor(() => expect(zoomed(fake)).toBe(1.1));
  await userEvent.keyboard("{Control>}k{/Control}{Control>}b{/Control}");
  expect(screen.getAllByRole("dialog")).toEqual([settings]);
  await userEvent.keyboard("{Control>}0{/Control}");
  await waitFor(() => expect(zoomed(fake)).toBe(1));
});

it("while keys are chosen for a command, those of zoom are keys like any other", async () => {
  const fake = createFake({});
  await renderOn(fake, <App />);
  await userEvent.keyboard("?");
  await userEvent.click(await screen.findByRole("button", { name: "Change the shortcut of Zoom in" }));
  await userEvent.keyboard("{Control>}={/Control}");
  expect(zoomed(fake)).toBe(1);
});
