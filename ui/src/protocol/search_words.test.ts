import { describe, expect, it } from "vitest";
import { begun } from "./search_words";

describe("a search that is being typed", () => {
  it("takes its last word for a beginning", () => {
    expect(begun("the pars", 1)).toBe("the pars*");
    expect(begun("größ", 3)).toBe("größ*");
  });

  it("leaves a short beginning, a phrase and what ends otherwise as they are", () => {
    expect(begun("the pa", 3)).toBe("the pa");
    expect(begun('"the pars', 1)).toBe('"the pars');
    expect(begun('"the parser"', 1)).toBe('"the parser"');
    expect(begun("the parser*", 1)).toBe("the parser*");
    expect(begun("a.", 1)).toBe("a.");
    expect(begun("", 1)).toBe("");
  });
});
