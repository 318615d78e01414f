import { describe, expect, it } from "vitest";
import { commandName } from "./working";

describe("a command's name", () => {
  it.each([
    ["cargo test --workspace 2>&1 | tail", "cargo test"],
    ["cargo test", "cargo test"],
    ["make", "make"],
    ["echo begun; while true; do sleep 1; done", "echo begun"],
    ["npm run build && npm test", "npm run"],
    ["ls -la", "ls"],
    ["sleep 60", "sleep"],
    ["  git   status", "git status"],
    ["", ""],
  ])("%s", (line, name) => {
    expect(commandName(line)).toBe(name);
  });
});
