import { expect, it } from "vitest";
import { recoloured } from "./recolour";

const before = [
  [
    { text: "let", color: "red" },
    { text: " a", color: null },
  ],
  [{ text: "done", color: "blue" }],
];
const shown = (code: string) =>
  recoloured(before, code).map((line) => line.map(({ text, color }) => `${text}:${color}`));

it("keeps the colours around what was typed, which has those of what it follows", () => {
  expect(shown("let a\ndone")).toEqual([["let:red", " a:null"], ["done:blue"]]);
  expect(shown("letter a\ndone")).toEqual([["let:red", "ter:red", " a:null"], ["done:blue"]]);
  expect(shown("let a\n\nxdone")).toEqual([["let:red", " a:null"], [], ["x:null", "done:blue"]]);
  expect(shown("")).toEqual([[]]);
});

it("is plain where no colours are known", () => {
  expect(recoloured([], "a\nb")).toEqual([[{ text: "a", color: null }], [{ text: "b", color: null }]]);
});
