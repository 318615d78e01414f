import { describe, expect, it } from "vitest";
import { contextPart } from "../../testing/fake_context";
import { groupsOf, partTitle, percent } from "./parts";

describe("the parts of a request", () => {
  it("are put together by what they are, in a steady order, and none is lost", () => {
    const groups = groupsOf([
      contextPart({ part: "base", origin: "built in", tokens: 10, share: 0.1 }),
      contextPart({ part: "rules", origin: "AGENTS.md", tokens: 20, share: 0.2 }),
      contextPart({ part: "messages", origin: "Fix it", tokens: 5, share: 0.05 }),
      contextPart({ part: "results", origin: "read_file", tokens: 40, share: 0.4 }),
      contextPart({ part: "messages", origin: "And now?", tokens: 15, share: 0.15 }),
      contextPart({ part: "weather", origin: "hook", tokens: 10, share: 0.1 }),
    ]);
    expect(groups.map(({ kind, tokens, parts }) => [kind, tokens, parts.length])).toEqual([
      ["instructions", 10, 1],
      ["rules", 20, 1],
      ["messages", 20, 2],
      ["results", 40, 1],
      ["other", 10, 1],
    ]);
  });

  it("are called by their source, and one of a kind that this version doesn't know by both", () => {
    expect(partTitle(contextPart({ part: "rules", origin: "AGENTS.md" }))).toBe("AGENTS.md");
    expect(partTitle(contextPart({ part: "base", origin: "built in" }))).toBe("Arki's own");
    expect(partTitle(contextPart({ part: "weather", origin: "hook" }))).toBe("weather: hook");
    expect(partTitle(contextPart({ part: "memory", origin: "" }))).toBe("memory");
    expect(partTitle(contextPart({ part: "tools", origin: "built in" }))).toBe("Built in");
  });

  it("are counted in the user's language", () => {
    const title = (part: string, origin: string) => partTitle(contextPart({ part, origin }));
    expect([title("skills", "1 skill"), title("skills", "3 skills")]).toEqual(["1 skill", "3 skills"]);
    expect([title("memory", "1 memory"), title("memory", "2 memories")]).toEqual(["1 memory", "2 memories"]);
    expect(title("procedures", "1 procedure")).toBe("1 procedure");
    expect(title("skills", "2 skills to try")).toBe("2 skills to try");
  });

  it("have shares that are never rounded to nothing", () => {
    expect([0, 0.0004, 0.004, 0.0996, 0.126, 1].map(percent)).toEqual([
      "0",
      "< 0.1",
      "0.4",
      "10",
      "13",
      "100",
    ]);
  });
});
