import { render } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { CommandText } from "./CommandText";
import { hasHidden, visibleWords } from "./invisible";
import { VisibleText } from "./VisibleText";

const shown = (text: string) => render(<VisibleText text={text} />).container;

describe("VisibleText", () => {
  it("replaces bidirectional controls by their boxed code points", () => {
    const el = shown("if admin\u202e // safe");
    expect(el.textContent).toBe("if adminU+202E // safe");
    expect(el.querySelector(".boxed")?.textContent).toBe("U+202E");
  });

  it.each([
    ["\u00a0", "NBSP"],
    ["\u200b", "U+200B"],
    ["\ufeff", "U+FEFF"],
    ["\r", "CR"],
    ["\u0007", "U+0007"],
    ["\u{e0041}", "U+E0041"],
  ])("boxes the invisible %j", (char, words) => expect(shown(`a${char}b`).textContent).toBe(`a${words}b`));

  it("marks tabs and trailing spaces but keeps them as they are", () => {
    const el = shown("\ta b  ");
    expect(el.textContent).toBe("\ta b  ");
    expect(el.querySelectorAll(".inv-tab")).toHaveLength(1);
    expect(el.querySelector(".inv-space")?.textContent).toBe("  ");
  });

  it("leaves ordinary text of any script alone", () => {
    expect(shown("日本 é مرحبا").querySelector("span")).toBeNull();
  });
});

describe("visibleWords", () => {
  it("is a text with the code points of what hides in brackets, and else the text as it is", () => {
    expect(visibleWords("main\u202e // b\u200b")).toBe("main[U+202E] // b[U+200B]");
    expect(visibleWords("\ta 日本 مرحبا  ")).toBe("\ta 日本 مرحبا  ");
  });
});

describe("hasHidden", () => {
  it("is for what can't be seen or turns the text around, and not for letters, spaces and emoji", () => {
    for (const char of ["\u2066", "\u200b", "\u2060", "\ufeff", "\u00ad", "\u{e0041}"])
      expect(hasHidden(`a${char}b`), char).toBe(true);
    for (const text of ["a b\tc\n", "日本 é مرحبا", "❤️", "a\u00a0b"])
      expect(hasHidden(text), text).toBe(false);
  });
});

describe("CommandText", () => {
  it("shows every character of a command, newlines too", () => {
    const command = "cargo  test -- --nocapture &&\n\trm -rf x\u00a0y";
    const { container } = render(<CommandText text={command} />);
    expect(container.textContent).toBe(command.replace("\u00a0", "NBSP"));
  });
});
