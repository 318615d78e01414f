import { afterEach, describe, expect, it } from "vitest";
import { directionOf, forth, readingKey } from "./direction";

afterEach(() => document.documentElement.removeAttribute("dir"));

describe("the direction", () => {
  it("follows the language, or the script that its tag names", () => {
    const tags = ["en", "de-AT", "ar", "he-IL", "fa", "ur-PK", "ku-Arab", "uz-Arab-AF", "az-Latn", "ur-Latn"];
    expect(tags.filter((tag) => directionOf(tag) === "rtl")).toEqual([
      "ar",
      "he-IL",
      "fa",
      "ur-PK",
      "ku-Arab",
      "uz-Arab-AF",
    ]);
  });

  it("turns arrow keys and ways, and nothing else", () => {
    const keys = ["ArrowLeft", "ArrowRight", "ArrowUp", "Home"];
    expect(keys.map(readingKey)).toEqual(keys);
    expect(forth()).toBe(1);
    document.documentElement.dir = "rtl";
    expect(keys.map(readingKey)).toEqual(["ArrowRight", "ArrowLeft", "ArrowUp", "Home"]);
    expect(forth()).toBe(-1);
  });
});
