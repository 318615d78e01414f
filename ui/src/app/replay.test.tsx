import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { eventLog } from "../testing/events";
import { createFake } from "../testing/fake";
import { renderOn } from "../testing/render";
import { sessionOf } from "../testing/sessions";
import { App } from "./App";

const session = sessionOf();

it("a session is gone through step by step, with its files as they were", async () => {
  Object.assign(window, { innerWidth: 1440, innerHeight: 900 });
  const log = eventLog("s");
  for (const words of ["first", "second", "third"]) {
    log.add("run.started", { prompt: `the ${words} prompt` });
    log.add("file.changed", { path: `${words}.txt` });
    log.add("run.completed", { response: "" });
  }
  const fake = createFake({ sessions: [session], logs: { s: log.events } });
  await renderOn(fake, <App />);
  await userEvent.click(screen.getByRole("button", { name: "One" }));
  await screen.findByText("the third prompt");
  await userEvent.click(screen.getByRole("button", { name: "Session menu" }));
  await userEvent.click(await screen.findByText("Replay"));
  const slider = await screen.findByRole("slider", { name: "Moment" });
  await waitFor(() => expect(screen.queryByText("the third prompt")).toBeNull());
  expect(screen.getByText("the first prompt")).toBeTruthy();
  await waitFor(() => expect(document.activeElement).toBe(slider));
  expect(screen.queryByRole("textbox", { name: "Message" })).toBeNull();
  expect(await screen.findByText("first.txt")).toBeTruthy();
  expect(screen.getAllByText("as before")).toHaveLength(3);

  await userEvent.click(screen.getByRole("button", { name: "Next step" }));
  await waitFor(() => expect(screen.getAllByText("as before")).toHaveLength(2));
  await userEvent.click(screen.getByRole("button", { name: "first.txt" }));
  expect(await screen.findByText("first.txt at 2")).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Previous step" }));
  expect(await screen.findByText("first.txt at 1")).toBeTruthy();

  slider.focus();
  await userEvent.keyboard("{Escape}");
  await screen.findByText("the third prompt");
  expect(screen.queryByRole("slider", { name: "Moment" })).toBeNull();
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("textbox", { name: "Message" })));
});

it("a file that is made later is not there yet, and no file as before", async () => {
  Object.assign(window, { innerWidth: 1440, innerHeight: 900 });
  const log = eventLog("s");
  log.add("run.started", { prompt: "the prompt" });
  log.add("file.changed", { path: "new.txt" });
  log.add("file.changed", { path: "old.txt" });
  log.add("run.completed", { response: "" });
  const fake = createFake({
    sessions: [session],
    logs: { s: log.events },
    handlers: {
      replay_files: ({ seq }) => [
        { path: "new.txt", change: seq < 2 ? null : "added" },
        { path: "old.txt", change: seq < 3 ? null : "modified" },
      ],
    },
  });
  await renderOn(fake, <App />);
  await userEvent.click(screen.getByRole("button", { name: "One" }));
  await screen.findByText("the prompt");
  await userEvent.click(screen.getByRole("button", { name: "Session menu" }));
  await userEvent.click(await screen.findByText("Replay"));
  const files = await screen.findByRole("region", { name: /^Files at event/ });
  const rows = () => [...files.querySelectorAll("li")].map((row) => row.textContent);
  expect(rows()).toEqual(["new.txtnot there", "old.txtas before"]);
  await userEvent.click(screen.getByRole("button", { name: "Next step" }));
  await waitFor(() => expect(rows()).toEqual(["new.txtadded", "old.txtas before"]));
});
