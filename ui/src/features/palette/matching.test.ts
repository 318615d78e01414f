import { expect, it } from "vitest";
import type { Command } from "../../components/commands";
import { matching, suggested } from "./matching";

const command = (section: string, title: string): Command => ({ id: title, section, title, run: () => {} });
const commands = [
  command("Session", "New session"),
  ...Array.from({ length: 500 }, (_, number) => command("Model", `Use router/model-${number}`)),
];

it("shows a part of hundreds of models at first, and finds each of them by its name", () => {
  const atRest = matching(commands, "");
  expect(atRest.map(({ section, commands }) => [section, commands.length])).toEqual([
    ["Session", 1],
    ["Model", 20],
  ]);
  const found = matching(commands, "model-499").flatMap((group) => group.commands);
  expect(found.map(({ title }) => title)).toContain("Use router/model-499");
});

it("begins with what was run last and what is likely, of what can be run", () => {
  const all = ["settings", "usage", "new"].map((id) => ({ ...command("x", id), id }));
  expect(suggested(all, ["usage", "gone"]).map(({ id }) => id)).toEqual(["usage", "new", "settings"]);
});
