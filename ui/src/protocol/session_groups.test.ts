import { describe, expect, it } from "vitest";
import type { SessionSummary } from "./generated";
import { daysBefore, type Group, groupsOf } from "./session_groups";

const now = new Date(2026, 10, 26, 12).getTime();
const hour = 3_600_000;

const session = (sessionId: string, more: Partial<SessionSummary> = {}): SessionSummary => ({
  sessionId,
  title: `Title of ${sessionId}`,
  project: "/code/arki",
  createdAt: 0,
  updatedAt: now,
  state: "done",
  pendingApprovals: 0,
  origin: null,
  parent: null,
  agent: "arki",
  pinned: false,
  archived: false,
  ...more,
});

const all = { words: "", shown: "all", folder: null, now, waiting: new Set<string>() } as const;
const told = (groups: readonly Group[]) =>
  groups.map(({ project, days }) => [
    project,
    ...days.map(({ day, families }) => [day, ...families.map((one) => one.session.sessionId)]),
  ]);

describe("the list of sessions", () => {
  it("is grouped by project and day, the open folder first even while it is empty", () => {
    const sessions = [
      session("a"),
      session("b", { updatedAt: now - 13 * hour }),
      session("c", { updatedAt: 0 }),
    ];
    expect(told(groupsOf(sessions, { ...all, folder: "/open" }))).toEqual([
      ["/open"],
      ["/code/arki", ["today", "a"], ["yesterday", "b"], ["older", "c"]],
    ]);
  });

  it("has those in worktrees under their project, and finds them by the branch", () => {
    const worktree = { project: "/code/arki", branch: "feature/x" };
    const folder = "/code/arki.worktrees/feature-x";
    const sessions = [session("w", { project: folder, worktree }), session("a"), session("b")];
    const together = [["/code/arki", ["today", "w", "a", "b"]]];
    expect(told(groupsOf(sessions, all))).toEqual(together);
    expect(told(groupsOf(sessions, { ...all, folder }))).toEqual(together);
    expect(told(groupsOf(sessions, { ...all, words: "ature/x arki" }))).toEqual([
      ["/code/arki", ["today", "w"]],
    ]);
  });

  it("has the pinned ones of all projects first, and archived ones only where they are asked for", () => {
    const sessions = [
      session("a"),
      session("p", { pinned: true, project: "/x" }),
      session("gone", { archived: true, pinned: true }),
      session("its", { parent: "gone" }),
    ];
    expect(told(groupsOf(sessions, all))).toEqual([
      [null, ["today", "p"]],
      ["/code/arki", ["today", "a"]],
    ]);
    const [archived] = groupsOf(sessions, { ...all, shown: "archived" });
    expect(archived?.days[0]?.families.map((one) => [one.session.sessionId, one.subagents.length])).toEqual([
      ["gone", 1],
    ]);
  });

  it("is filtered by words of the title and the folder's name, and by state", () => {
    const sessions = [
      session("a", { title: "Fix the parser", state: "waiting" }),
      session("b", { title: "Fix the docs", state: "failed" }),
      session("c", { title: "Parser", project: "/home/ada/garden", state: "running" }),
    ];
    const ids = (wanted: Partial<Parameters<typeof groupsOf>[1]>) =>
      groupsOf(sessions, { ...all, ...wanted }).flatMap(({ days }) =>
        days.flatMap(({ families }) => families.map((one) => one.session.sessionId)),
      );
    expect(ids({ words: "parser" })).toEqual(["a", "c"]);
    expect(ids({ words: " FIX arki " })).toEqual(["a", "b"]);
    expect(ids({ words: "code" })).toEqual([]);
    expect(ids({ words: "garden" })).toEqual(["c"]);
    expect(ids({ shown: "waiting" })).toEqual(["a"]);
    expect(ids({ shown: "stopped" })).toEqual(["b"]);
    expect(ids({ shown: "running", words: "parser" })).toEqual(["c"]);
    // Whatever its run does, it stands as its row says.
    const waiting = new Set(["c"]);
    expect(ids({ shown: "waiting", waiting })).toEqual(["a", "c"]);
    expect(ids({ shown: "running", waiting })).toEqual([]);
    expect(groupsOf([], { ...all, folder: "/open", words: "x" })).toEqual([]);
  });

  it("has those of sub-agents beneath the session they work for, the oldest first", () => {
    const sessions = [
      session("c2", { parent: "a", createdAt: 3 }),
      session("c1", { parent: "a", createdAt: 2 }),
      session("orphan", { parent: "gone" }),
      session("a"),
    ];
    const families = groupsOf(sessions, all)[0]?.days[0]?.families;
    expect(
      families?.map((one) => [one.session.sessionId, one.subagents.map((sub) => sub.sessionId)]),
    ).toEqual([
      ["orphan", []],
      ["a", ["c1", "c2"]],
    ]);
  });

  it("has a sub-agent's beneath one that was listed alone before, and by itself where that one does not fit", () => {
    const one = session("a", { title: "Parser" });
    const sub = session("sub", { title: "Look around", parent: "a" });
    const families = (sessions: SessionSummary[], words: string) =>
      groupsOf(sessions, { ...all, words }).flatMap(({ days }) =>
        days.flatMap((day) =>
          day.families.map((family) => [family.session.sessionId, family.subagents.length]),
        ),
      );
    expect(families([one], "")).toEqual([["a", 0]]);
    expect(families([one, sub], "")).toEqual([["a", 1]]);
    expect(families([one, sub], "look")).toEqual([["sub", 0]]);
    expect(families([one, sub], "parser")).toEqual([["a", 0]]);
    expect(families([one], "")).toEqual([["a", 0]]);
  });

  it("counts days as the calendar does", () => {
    const day = daysBefore(new Date(2026, 10, 26, 0, 30).getTime());
    const at = (month: number, date: number, hours = 12) => day(new Date(2026, month, date, hours).getTime());
    expect([at(10, 26, 0), at(10, 25, 23), at(10, 24), at(10, 20), at(10, 19)]).toEqual([
      "today",
      "yesterday",
      "week",
      "week",
      "month",
    ]);
    expect(at(9, 1)).toBe("older");
  });
});
