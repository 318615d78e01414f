import { render } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { CommandText } from "./CommandText";
import { commandParts } from "./command_parts";

const long = "cd src && cargo test --workspace -- --nocapture | tee out.txt || true; git diff --stat";

describe("the parts of a command", () => {
  it("begin at what joins them, and are the line when joined", () => {
    expect(commandParts(long)).toEqual([
      "cd src ",
      "&& cargo test --workspace -- --nocapture ",
      "| tee out.txt ",
      "|| true; ",
      "git diff --stat",
    ]);
    expect(commandParts(long).join("")).toBe(long);
  });

  it("keep together what is quoted, in brackets or a comment", () => {
    for (const command of [
      `git commit -m 'one; two && three' -m "four | five \\" ; six" --author="Somebody Else"`,
      "echo $(cat a.txt | sort; cat b.txt && true) and then some words that make it long enough",
      "find . -name '*.rs' -exec grep -l something-to-find {} \\; -print-and-more-words",
      "cargo build --release --workspace --all-targets # then; or && or | nothing more",
      "cargo test > out.txt 2>&1 & echo something that goes on for quite a while, really",
    ])
      expect(commandParts(command)).toEqual([command]);
  });

  it("are one of a short line, and of one with lines of its own", () => {
    expect(commandParts("cargo test && git diff")).toEqual(["cargo test && git diff"]);
    expect(commandParts(`${long}\n${long}`)).toHaveLength(1);
  });

  it("are shown without a character more", () => {
    const { container } = render(<CommandText text={long} />);
    expect(container.textContent).toBe(long);
    expect(container.querySelectorAll(".command-part")).toHaveLength(4);
  });
});
