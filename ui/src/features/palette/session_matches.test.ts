import { describe, expect, it } from "vitest";
import { sessionOf } from "../../testing/sessions";
import { matchingSessions } from "./session_matches";

const named = (...titles: string[]) =>
  titles.map((title, age) => sessionOf({ sessionId: title, title, updatedAt: 1000 - age }));
const found = (titles: string[], typed: string) =>
  matchingSessions(named(...titles), typed, null).map((one) => one.title);

describe("sessions by their title", () => {
  it("are found by a part of a word, and by several in any order", () => {
    const titles = ["Rename Widget to Panel", "Fix the build"];
    expect(found(titles, "idge")).toEqual(["Rename Widget to Panel"]);
    expect(found(titles, "panel REN")).toEqual(["Rename Widget to Panel"]);
    expect(found(titles, "panel build")).toEqual([]);
  });

  it("come with the best first: the title's beginning, a word's beginning, anywhere", () => {
    const titles = ["Unparsed input", "A new parser", "Parser fails"];
    expect(found(titles, "pars")).toEqual(["Parser fails", "A new parser", "Unparsed input"]);
  });

  it("come with the newest first where they fit equally well", () => {
    const [old, mid, young] = [5, 20, 30].map((updatedAt) =>
      sessionOf({ sessionId: `${updatedAt}`, title: "Fix it", updatedAt }),
    );
    if (!old || !mid || !young) throw new Error("three sessions");
    expect(matchingSessions([mid, old, young], "fix", null)).toEqual([young, mid, old]);
  });

  it("are found by characters in their order only where no title has the words", () => {
    const titles = ["Rename Widget", "Review new dialog"];
    expect(found(titles, "rnwd")).toEqual(titles);
    expect(found(titles, "widget")).toEqual(["Rename Widget"]);
    expect(found(titles, "zzz")).toEqual([]);
  });

  it("are those of one folder, if that is asked for", () => {
    const [here, there] = [
      sessionOf({ sessionId: "h", title: "Fix", project: "/h" }),
      sessionOf({ sessionId: "t", title: "Fix", project: "/t" }),
    ];
    expect(matchingSessions([here, there], "fix", "/t")).toEqual([there]);
    expect(matchingSessions([here, there], "fix", null)).toHaveLength(2);
  });

  it("are not listed before two characters are typed, and are six at most", () => {
    const titles = Array.from({ length: 50 }, (_, number) => `Fix ${number}`);
    expect(found(titles, "f")).toEqual([]);
    expect(found(titles, "fix")).toEqual(titles.slice(0, 6));
  });
});
