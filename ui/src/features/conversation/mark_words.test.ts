import { expect, it } from "vitest";
import { wordsOf } from "./mark_words";

it("the words that are marked are those of the search, as the engine reads it", () => {
  expect(wordsOf('Retry  "exponential Backoff" conf*')).toEqual(["retry", "exponential backoff", "conf"]);
  expect(wordsOf('"still typing')).toEqual(["still typing"]);
  expect(wordsOf(' * "" ')).toEqual([]);
});
