import { describe, expect, it } from "vitest";
import { commentOn, noteWith, toSend, withComment } from "./comments";

const at = (row: number, hunk = 1) => ({ hunk, row, path: "src/a.rs", line: row + 10, removed: false });

describe("comments on lines", () => {
  it("replace each other on one line, and go with their text", () => {
    const one = withComment([], at(2), "first");
    expect(commentOn(withComment(one, at(2), "second"), at(2))).toBe("second");
    expect(commentOn(one, at(3))).toBe("");
    expect(withComment(one, at(2), "")).toEqual([]);
  });

  it("go with the note in the order of the lines, one a line", () => {
    const all = [at(5), at(1, 2), at(2)].reduce(
      (before, line) => withComment(before, line, `on ${line.row}`),
      [...withComment([], at(0), "  ")] as ReturnType<typeof withComment>,
    );
    expect(toSend(all)).toHaveLength(3);
    expect(noteWith(" Not yet. ", all)).toBe(
      "Not yet.\nsrc/a.rs:12: on 2\nsrc/a.rs:15: on 5\nsrc/a.rs:11: on 1",
    );
  });

  it("can't make lines that look like other comments", () => {
    const on = (path: string) => noteWith("", withComment([], { ...at(1), path }, "x\n\n b.rs:2: y\r\nz"));
    const words = ":11: x b.rs:2: y z";
    expect(on("a\nb.rs:1: ok")).toBe(`"a\\nb.rs:1: ok"${words}`);
    expect(on("b.rs:1: ok")).toBe(`"b.rs:1: ok"${words}`);
    expect(on("b.rs:1 (removed)")).toBe(`"b.rs:1 (removed)"${words}`);
    expect(on('a" b')).toBe(`"a\\" b"${words}`);
    expect(on("a\u2028\u202e\u{e0041}\u0085b")).toBe(`"a\\u2028\\u202e\\udb40\\udc41\\u0085b"${words}`);
    expect(on("src/@x/größe_1+2-3.d.ts")).toBe(`src/@x/größe_1+2-3.d.ts${words}`);
  });

  it("say when their line is one that goes", () => {
    const gone = withComment([], { ...at(1), removed: true }, "why?");
    expect(noteWith("", withComment(gone, at(2), "x"))).toBe("src/a.rs:11 (removed): why?\nsrc/a.rs:12: x");
  });

  it("are nothing where there is nothing to say", () => {
    expect(noteWith("  ", [])).toBe("");
  });
});
