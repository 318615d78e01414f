import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { createFake, fail } from "../testing/fake";
import { renderOn, sent } from "../testing/render";
import { App } from "./App";

const available = () => ({ type: "available" as const, version: "9.9.9", notes: "Better.\u202eevil" });

it("an update is looked for once a day where that is wanted, offered, installed and restarted into", async () => {
  localStorage.clear();
  const fake = createFake({
    app: { looksForUpdates: true },
    handlers: { look_for_update: available },
  });
  await renderOn(fake, <App />);
  await userEvent.click(await screen.findByRole("button", { name: "Update to 9.9.9" }));
  await screen.findByRole("region", { name: "Updates" });
  // Nothing hides in what others wrote.
  expect(screen.getByText("U+202E")).toBeTruthy();
  expect(sent(fake, "install_update")).toEqual([]);
  await userEvent.click(screen.getByRole("button", { name: "Install 9.9.9" }));
  await screen.findByText("Version 9.9.9 is installed. It is used from the next start.");
  expect(sent(fake, "install_update")).toEqual([{ version: "9.9.9" }]);
  await userEvent.click(screen.getByRole("button", { name: "Restart Arki" }));
  await waitFor(() => expect(sent(fake, "restart")).toHaveLength(1));
  expect(sent(fake, "look_for_update")).toHaveLength(1);
});

it("nothing is asked of anybody where that is not wanted", async () => {
  localStorage.clear();
  const fake = createFake({ handlers: { look_for_update: available } });
  await renderOn(fake, <App />);
  await screen.findByRole("textbox", { name: "Message" });
  expect(sent(fake, "look_for_update")).toEqual([]);
});

it("an update that isn't signed is not installed, and says so", async () => {
  localStorage.clear();
  const refuse = () => fail("UPDATE_NOT_SIGNED", "The update isn't signed.", "Look at the project's page.");
  const handlers = { look_for_update: available, install_update: refuse };
  const fake = createFake({ app: { looksForUpdates: true }, handlers });
  await renderOn(fake, <App />);
  await userEvent.click(await screen.findByRole("button", { name: "Update to 9.9.9" }));
  await userEvent.click(await screen.findByRole("button", { name: "Install 9.9.9" }));
  await screen.findByText("The update isn't signed.", { exact: false });
  expect(screen.getByRole("button", { name: "Install 9.9.9" })).toBeTruthy();
});
