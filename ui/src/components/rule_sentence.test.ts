import { describe, expect, it } from "vitest";
import { readRule } from "../protocol/rules";
import { ruleSentence } from "./RuleSentence";

const said = (rule: object, scope: "session" | "always" | null = "always", here: string | null = "/p") => {
  const read = readRule(JSON.stringify(rule));
  return read && ruleSentence(read, scope, here);
};

describe("a rule as a sentence", () => {
  const cargo = { decision: "allow", tool: "run_command", command: ["cargo", "test"], project: "/p" };

  it.each([
    [cargo, "Always allow commands that begin with `cargo test` in this folder"],
    [{ ...cargo, tool: undefined }, "Always allow commands that begin with `cargo test` in this folder"],
    [
      { ...cargo, network: true },
      "Always allow commands that begin with `cargo test` with network access in this folder",
    ],
    [
      { ...cargo, command: ["npm", "ci"], host: "registry.npmjs.org" },
      "Always allow network access to `registry.npmjs.org` for commands that begin with `npm ci` in this folder",
    ],
    [
      { ...cargo, decision: "deny", command: ["npm"], host: "*.example.org" },
      "Never allow network access to every host below `example.org` for commands that begin with `npm` in this folder",
    ],
    [
      { ...cargo, stdin: true },
      "Always allow commands that begin with `cargo test` with piped input in this folder",
    ],
    [
      { ...cargo, command: ["git", "commit", "-m", "it's done"] },
      "Always allow commands that begin with `git commit -m 'it'\\''s done'` in this folder",
    ],
    [
      { ...cargo, effects: "allow" },
      "Always allow commands that begin with `cargo test` in this folder, and land what they change without a review",
    ],
    [
      { ...cargo, decision: "deny", command: ["git", "push"] },
      "Never run commands that begin with `git push` in this folder",
    ],
    [
      { ...cargo, decision: "approval" },
      "Always ask before commands that begin with `cargo test` in this folder",
    ],
    [
      { ...cargo, tool: "terminal_start" },
      "Always allow `terminal_start` with commands that begin with `cargo test` in this folder",
    ],
    [
      { decision: "allow", tool: "edit_file", path: "README.md", project: "/p" },
      "Always allow edits to `README.md` in this folder",
    ],
    [
      { decision: "allow", tool: "write_file", path: "docs/**", project: "/p" },
      "Always allow writing `docs/**` in this folder",
    ],
    [
      { decision: "allow", tool: "apply_patch", path: "src/*.rs", project: "/p" },
      "Always allow patches to `src/*.rs` in this folder",
    ],
    [
      { decision: "deny", path: "secrets/**" },
      "Never allow anything that touches `secrets/**` in every folder",
    ],
    [
      { decision: "preview", tool: "delete_file", path: "src/**" },
      "Show a preview before `delete_file` on `src/**` in every folder",
    ],
    [
      { decision: "allow", tool: "fetch_url", host: "docs.rs", project: "/p" },
      "Always allow `fetch_url` requests to `docs.rs` in this folder",
    ],
    [
      { decision: "allow", host: "*.example.org" },
      "Always allow requests to every host below `example.org` in every folder",
    ],
    [{ decision: "allow", tool: "tickets__book" }, "Always allow `tickets__book` in every folder"],
    [{ ...cargo, project: "/home/ada/shop" }, "Always allow commands that begin with `cargo test` in `shop`"],
  ])("%j", (rule, sentence) => {
    expect(said(rule)).toBe(sentence);
  });

  it("names the session where it ends with it", () => {
    const edit = { decision: "allow", tool: "edit_file", path: "README.md", project: "/p" };
    expect(said(edit, "session")).toBe("Allow edits to `README.md` for this session");
  });

  it("is not made of what is no rule", () => {
    expect(said({ decision: "allow" })).toBeNull();
    expect(said({ decision: "perhaps", tool: "run_command" })).toBeNull();
    expect(readRule("not JSON")).toBeNull();
    expect(readRule("[]")).toBeNull();
  });
});
