import { expect, it } from "vitest";
import { quoted } from "./MessageActions";

it("a message is quoted line by line, with room for the answer below", () => {
  expect(quoted("First line\n\n  code\n")).toBe("> First line\n>\n>   code\n\n");
});
