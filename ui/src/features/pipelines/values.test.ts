import { describe, expect, it } from "vitest";
import type { PipelineParam } from "../../protocol/generated";
import { choicesOf, initialValues, problemAt, toSend } from "./values";

const param = (name: string, more: Partial<PipelineParam> = {}): PipelineParam => ({
  name,
  type: "string",
  default: null,
  description: "",
  choices: [],
  ...more,
});

describe("a form's values", () => {
  const params = [
    param("who"),
    param("tone", { default: "plain" }),
    param("times", { type: "integer", default: "1" }),
  ];

  it("begin with the defaults, or with what was given before", () => {
    expect(initialValues(params)).toEqual({ who: "", tone: "plain", times: "1" });
    expect(initialValues(params, { who: "ada", gone: "x" })).toEqual({
      who: "ada",
      tone: "plain",
      times: "1",
    });
  });

  it("are sent as they are; a figure that was left empty has its default, an emptied text is empty", () => {
    expect(toSend(params, { who: "", tone: "", times: "" })).toEqual({ tone: "" });
    expect(toSend(params, { who: "ada", tone: "loud", times: "2" })).toEqual({
      who: "ada",
      tone: "loud",
      times: "2",
    });
  });

  it("are chosen where there are choices, and for yes or no", () => {
    expect(choicesOf(param("a", { type: "boolean" }))).toEqual(["true", "false"]);
    expect(choicesOf(param("a", { choices: ["x"] }))).toEqual(["x"]);
    expect(choicesOf(param("a"))).toEqual([]);
    expect(toSend([param("a", { choices: ["x"], default: "x" })], { a: "" })).toEqual({});
  });
});

describe("a problem of a definition", () => {
  it("has a line and a column", () => {
    expect(problemAt("12:3: `steps` is missing: add\nit.")).toEqual({
      line: 12,
      column: 3,
      what: "`steps` is missing: add\nit.",
    });
    expect(problemAt("no place")).toBeNull();
  });
});
