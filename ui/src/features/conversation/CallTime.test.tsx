import { render } from "@testing-library/react";
import { expect, it } from "vitest";
import { CallTime } from "./CallCard";

it.each([
  [0, ""],
  [4, "4 ms"],
  [2500, "2.5 s"],
])("says how long a call took where that is worth telling: %d ms", (ms, words) => {
  expect(render(<CallTime ms={ms} />).container.textContent).toBe(words);
});
