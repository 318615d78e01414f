import { expect, it } from "vitest";
import { shorten } from "./shorten";

it("a text is cut between what people see as characters", () => {
  const family = "👩‍👩‍👧";
  expect(shorten(`a${family}b`, 20)).toBe(`a${family}b`);
  expect(shorten(`a${family}b`, 1 + family.length)).toBe(`a${family}`);
  expect(shorten(`a${family}b`, family.length)).toBe("a");
  expect(shorten("abc", 2)).toBe("ab");
});
