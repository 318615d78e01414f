import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { eventLog } from "../testing/events";
import { createFake, demoProject } from "../testing/fake";
import { renderOn } from "../testing/render";
import { sessionOf } from "../testing/sessions";
import { App } from "./App";

const session = (sessionId: string, title: string) => sessionOf({ sessionId, title });

it("Ctrl+F finds in the session that is shown, and Escape goes back to the message", async () => {
  Object.assign(window, { innerWidth: 1440, innerHeight: 900 });
  const [one, other] = [eventLog("s"), eventLog("t")];
  for (const words of ["the parser fails", "something else", "the parser again"])
    one.add("run.started", { prompt: words });
  other.add("run.started", { prompt: "a parser of another session" });
  const sessions = [session("s", "One"), session("t", "Other")];
  await renderOn(createFake({ sessions, logs: { s: one.events, t: other.events } }), <App />);
  await userEvent.keyboard("{Control>}f{/Control}");
  expect(screen.queryByRole("search")).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "One" }));
  await userEvent.keyboard("{Control>}f{/Control}");
  const field = await screen.findByRole("searchbox", { name: "Find in this session" });
  await userEvent.type(field, "parser");
  await screen.findByText("2 of 2");
  const found = () => document.querySelector(".row.found")?.textContent;
  await waitFor(() => expect(found()).toContain("the parser again"));
  await userEvent.keyboard("{Enter}");
  await waitFor(() => expect(found()).toContain("the parser fails"));
  await waitFor(() => expect(document.activeElement).toBe(field));
  await userEvent.keyboard("{Escape}");
  await waitFor(() => expect(screen.queryByRole("search")).toBeNull());
  expect(found()).toBeUndefined();
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("textbox", { name: "Message" })));
});

it("the palette finds files by their path, and opens one in the editor", async () => {
  const entry = (name: string, kind: "file" | "folder") => ({ mention: `@${name}`, kind, name });
  const list_mentions = () => [entry("src/parser", "folder"), entry("src/parser.rs", "file")];
  const fake = createFake({ handlers: { list_mentions } });
  await renderOn(fake, <App />);
  await userEvent.keyboard("{Control>}k{/Control}");
  await userEvent.type(await screen.findByRole("combobox"), "parser");
  const files = await screen.findByRole("group", { name: "Files, to open in your editor" });
  expect(files.textContent).toBe("src/parser.rs");
  await userEvent.click(screen.getByText("src/parser.rs"));
  await waitFor(() =>
    expect(fake.calls.filter(({ name }) => name === "open_in_editor").map(({ params }) => params)).toEqual([
      { folder: demoProject.path, path: "src/parser.rs" },
    ]),
  );
});
