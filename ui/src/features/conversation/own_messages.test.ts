import { describe, expect, it } from "vitest";
import { onStep, stepMessage, steppedTo, stuckAt } from "./own_messages";

/** Messages of 60 pixels with their answers between them, scrolled so far. */
const tops = [0, 500, 600, 2_000];
const scrolledTo = (by: number) => (at: number) => {
  const top = (tops[at] ?? 0) - by;
  return { top, bottom: top + 60 };
};

describe("the message at the top", () => {
  it("is the last one that has left, while nothing of the next is there", () => {
    const at = (scrolled: number) => stuckAt(tops.length, scrolledTo(scrolled));
    expect(at(0)).toBeNull();
    expect(at(20)).toBe(0);
    expect(at(459)).toBe(0);
    expect(at(470)).toBeNull();
    expect(at(530)).toBe(1);
    expect(at(1_000)).toBe(2);
    expect(at(3_000)).toBe(3);
  });

  it("is none where there is no message", () => {
    expect(stuckAt(0, scrolledTo(100))).toBeNull();
  });
});

describe("a step", () => {
  const from = (scrolled: number, by: 1 | -1, focused: number | null = null) =>
    steppedTo(tops.length, scrolledTo(scrolled), by, focused);

  it("leads to the message whose answer is read, and then to the ones before", () => {
    expect(from(1_000, -1)).toBe(2);
    expect(from(600, -1)).toBe(1);
    expect(from(0, -1)).toBeNull();
  });

  it("leads to the next one below, and nowhere from the last", () => {
    expect(from(0, 1)).toBe(1);
    expect(from(550, 1)).toBe(2);
    expect(from(2_000, 1)).toBeNull();
  });

  it("goes on from the one that has the focus where the end can't scroll any further", () => {
    expect(from(480, 1, 1)).toBe(2);
    expect(from(480, -1, 2)).toBe(1);
  });

  it("is made by the transcript that is shown, and by none that is gone", () => {
    const made: string[] = [];
    const leave = onStep((by) => made.push(`first ${by}`));
    const stay = onStep((by) => made.push(`second ${by}`));
    leave();
    stepMessage(-1);
    stay();
    stepMessage(1);
    expect(made).toEqual(["second -1"]);
  });
});
