import { render } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { AnsiText } from "./AnsiText";
import { ansiRuns, beginning, plainText, withStyles } from "./ansi";

const classes = (text: string) => ansiRuns(text).map((run) => [run.text, run.classes]);
/** Of a text that looks the same throughout. */
const look = (parameters: string) => ansiRuns(`\u001b[${parameters}mx`)[0]?.classes;

describe("the runs of a text", () => {
  it("are one where nothing escapes", () => {
    expect(classes("a\tb\r\n\u0007[31m")).toEqual([["a\tb\r\n\u0007[31m", ""]]);
  });

  it("have the colours and the emphasis they were printed in", () => {
    expect(classes("a \u001b[31mred\u001b[0m \u001b[1;4;92mb\u001b[22;39mc")).toEqual([
      ["a ", ""],
      ["red", "ansi-1"],
      [" ", ""],
      ["b", "ansi-bold ansi-underline ansi-10"],
      ["c", "ansi-underline"],
    ]);
    expect(look("2;3;9")).toBe("ansi-faint ansi-italic ansi-strike");
    expect(look("1;2")).toBe("ansi-faint");
    expect(look("31;39")).toBe("");
  });

  it("have the nearest of the 16 for all other colours", () => {
    expect(look("38;5;9")).toBe("ansi-9");
    expect(look("38;5;196;1")).toBe("ansi-bold ansi-9");
    expect(look("38;5;232")).toBe("ansi-0");
    expect(look("38;2;250;250;250")).toBe("ansi-15");
    expect(look("38:2::0:200:10")).toBe("ansi-2");
    expect(look("38:2:0:200:10;4")).toBe("ansi-underline ansi-2");
    expect(look("38;5")).toBe("");
    expect(look("38;5;999;1")).toBe("ansi-bold");
  });

  it("never have a ground of their own colour, and hide nothing", () => {
    expect(look("30;40")).toBe("ansi-0 ansi-inverse");
    expect(look("32;7;41")).toBe("ansi-2 ansi-inverse");
    expect(look("8;5")).toBe("");
  });

  it("are without titles, links, cursor movements and what else is no text", () => {
    const text =
      "\u001b]0;title\u0007a\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\\u001b[2J\u001b[5;5H\u001b[?25l\u001b(B\u001bP1$r\u001b\\\u001b7b\u001b[>4m";
    expect(classes(text)).toEqual([["alinkb", ""]]);
    expect(plainText(text)).toBe("alinkb");
  });

  it("lose nothing to a sequence that is broken off", () => {
    expect(plainText("a\u001b]0;no end\nnext")).toBe("a\u001b]0;no end\nnext");
    expect(plainText("a\u001b_b")).toBe("a\u001b_b");
  });
});

describe("AnsiText", () => {
  it("shows the words in elements of their own, and what hides as boxes", () => {
    const { container } = render(<AnsiText text={"ok \u001b[31mred\u202e  \u001b[0mend "} />);
    expect(container.textContent).toBe("ok redU+202E  end ");
    expect(container.querySelector(".ansi-1")?.textContent).toBe("redU+202E  ");
    expect(container.querySelectorAll(".inv-space")).toHaveLength(1);
  });

  it("shows an escape character that begins nothing", () => {
    expect(render(<AnsiText text={"a\u001b"} />).container.textContent).toBe("aU+001B");
  });
});

describe("a stored text", () => {
  it("has its styles as sequences in it, each line for itself", () => {
    expect(withStyles("é👩 red\nmore.", [[4, 12, "1;31"]])).toBe(
      "é👩 \u001b[1;31mred\u001b[0m\n\u001b[1;31mmore\u001b[0m.",
    );
  });

  it("is cut by what is seen of it", () => {
    expect(beginning("\u001b[31mabc\u001b[0mdef", 4)).toBe("\u001b[31mabc\u001b[0md");
    expect(beginning("abcdef", 4)).toBe("abcd");
    expect(beginning("\u001b[31mab\u001b[0m", 4)).toBe("\u001b[31mab\u001b[0m");
  });
});
