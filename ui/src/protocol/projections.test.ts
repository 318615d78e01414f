import { describe, expect, it } from "vitest";
import { eventLog, untoldUsage } from "../testing/events";
import { decidedStep, emptyDecided, type PendingApproval, pendingStep } from "./approvals";
import type { EventKind, PayloadOf } from "./events";
import type { Event, SessionSummary } from "./generated";
import { decidedIn, sessionsStep } from "./sessions";
import { noUsage, usageStep } from "./usage";

const none: readonly PendingApproval[] = [];
const preview = { filesAffected: ["a"], linesChanged: 1, diff: "", hunks: [], previewHash: "h" };

describe("pending approvals", () => {
  it("come with a request and go with its resolution", () => {
    const { events, add } = eventLog("s");
    add("approval.requested", {
      approvalId: "a",
      callId: "c",
      toolId: "edit_file",
      args: {},
      risk: "low",
      preview,
    });
    expect(events.reduce(pendingStep, none)).toMatchObject([
      { approvalId: "a", preview: { previewHash: "h" } },
    ]);
    add("approval.resolved", { approvalId: "a", decision: "approve" });
    expect(events.reduce(pendingStep, none)).toEqual([]);
  });

  it("are replaced by the one that supersedes them", () => {
    const { events, add } = eventLog("s");
    add("approval.requested", { approvalId: "a", callId: "c" });
    add("approval.requested", { approvalId: "b", callId: "c", supersedes: "a" });
    expect(events.reduce(pendingStep, none)).toMatchObject([{ approvalId: "b", supersedes: "a" }]);
  });

  it("end with their own run, not with another session's", () => {
    const one = eventLog("s1");
    const two = eventLog("s2");
    one.add("approval.requested", { approvalId: "a", callId: "c" }, "same");
    two.add("run.cancelled", {}, "same");
    expect([...one.events, ...two.events].reduce(pendingStep, none)).toHaveLength(1);
    one.add("run.cancelled", {}, "same");
    expect(one.events.reduce(pendingStep, none)).toEqual([]);
  });
});

describe("decided approvals", () => {
  it("keep which hunks were taken and which were edited, newest first", () => {
    const { events, add } = eventLog("s");
    add("approval.requested", { approvalId: "a", callId: "c", toolId: "edit_file", preview });
    add("approval.resolved", {
      approvalId: "a",
      decision: "approve",
      hunks: [1, 3],
      edited: { "3": "new\n" },
    });
    add("approval.requested", { approvalId: "b", callId: "d", toolId: "run_command" });
    add("approval.resolved", { approvalId: "b", decision: "reject" });
    const { decided } = events.reduce(decidedStep, emptyDecided);
    expect(decided.map((one) => one.approvalId)).toEqual(["b", "a"]);
    expect(decided[1]).toMatchObject({ hunks: [1, 3], edited: { 3: "new\n" }, decision: "approve" });
  });

  it("know which of their calls failed, but for a command, whose changes may have landed", () => {
    const { events, add } = eventLog("s");
    for (const [approvalId, callId, kind] of [
      ["a", "c", "tool"],
      ["b", "d", "effects"],
    ] as const) {
      add("approval.requested", { approvalId, callId, kind });
      add("approval.resolved", { approvalId, decision: "approve" });
      add("tool.result", { callId, isError: true });
    }
    const { decided } = events.reduce(decidedStep, emptyDecided);
    expect(decided.map((one) => one.failedCalls)).toEqual([[], ["c"]]);
  });
});

describe("the list of sessions", () => {
  const session = (sessionId: string): SessionSummary => ({
    sessionId,
    title: "t",
    project: "/p",
    createdAt: 0,
    updatedAt: 0,
    state: "idle",
    pendingApprovals: 0,
    origin: null,
    parent: null,
    agent: "arki",
    pinned: false,
    archived: false,
  });
  const step = <Kind extends EventKind>(
    list: readonly SessionSummary[],
    type: Kind,
    payload: Partial<PayloadOf<Kind>> = {},
  ) => {
    const event: Event = { ...eventLog("b").add(type, payload), ts: 9 };
    return sessionsStep(list, event);
  };

  it("follows a run through waiting to its end", () => {
    let list: readonly SessionSummary[] = [session("a"), session("b")];
    list = step(list, "run.started", { prompt: "p" });
    expect(list[0]).toMatchObject({ sessionId: "b", state: "running", updatedAt: 9 });
    list = step(list, "approval.requested", { approvalId: "x" });
    expect(list[0]).toMatchObject({ state: "waiting", pendingApprovals: 1 });
    list = step(list, "run.completed");
    expect(list[0]).toMatchObject({ state: "done", pendingApprovals: 0 });
  });

  it("keeps its order and its identity for events that change nothing", () => {
    const list = [session("a"), session("b")];
    expect(step(list, "output.message")).toBe(list);
    expect(step(list, "run.failed").map((one) => one.sessionId)).toEqual(["a", "b"]);
  });

  it("knows a fork by its origin", () => {
    const forked = step([session("b")], "session.forked", { fromSession: "a", fromSeq: 4 });
    expect(forked[0]?.origin).toBe("a");
  });

  it("follows a session's new title, and keeps it when something else is set up", () => {
    const renamed = step([session("b")], "session.configured", { title: "Better" });
    expect(renamed[0]?.title).toBe("Better");
    expect(step(renamed, "session.configured", { model: "a/b" })[0]?.title).toBe("Better");
  });

  it("follows its marks, which are no use of a session, and a run brings it back", () => {
    const marked = step([session("b")], "session.configured", { pinned: true, archived: true });
    expect(marked[0]).toMatchObject({ pinned: true, archived: true, updatedAt: 0 });
    const renamed = step(marked, "session.configured", { title: "n" });
    expect(renamed[0]).toMatchObject({ pinned: true, updatedAt: 9 });
    expect(step(renamed, "run.started", { prompt: "p" })[0]).toMatchObject({ pinned: true, archived: false });
  });

  it("knows whom a sub-agent works for, and that a fork works for nobody", () => {
    const [child] = step([], "session.created", { title: "t", agent: "explorer", parentSession: "a" });
    expect([child?.parent, child?.agent]).toEqual(["a", "explorer"]);
    const [fork] = step(child ? [child] : [], "session.forked", { fromSession: "a", fromSeq: 4 });
    expect([fork?.parent, fork?.origin]).toEqual([null, "a"]);
  });

  it("has what a sub-agent asks decided above as long as somebody waits there", () => {
    const child = { ...session("child"), parent: "a" };
    const above = (state: SessionSummary["state"]) => [child, { ...session("a"), state }];
    expect(decidedIn(above("waiting"), "child")).toBe("a");
    expect(decidedIn(above("done"), "child")).toBe("child");
    expect(decidedIn([child], "child")).toBe("child");
    expect(decidedIn(above("waiting"), "a")).toBe("a");
  });
});

describe("going back", () => {
  it("marks what was decided about files that were put back, and forgets how full the context was", () => {
    const { events, add } = eventLog("s");
    add("engine.response", {
      usage: { ...untoldUsage, promptTokens: 100, completionTokens: 5, costUsd: 0.5 },
    });
    add("approval.requested", { approvalId: "a", callId: "c", toolId: "edit_file" });
    add("approval.resolved", { approvalId: "a", decision: "approve" });
    const rewound = add("session.rewound", { toSeq: 1, files: true, conversation: true });
    const taken = () => events.reduce(decidedStep, emptyDecided).decided.map((one) => one.takenBack);
    expect(taken()).toEqual([true]);
    expect(events.reduce(usageStep, noUsage)).toMatchObject({ promptTokens: 100, contextTokens: null });
    add("session.rewound", { toSeq: rewound.seq - 1, files: true, conversation: true });
    expect(taken()).toEqual([false]);
  });
});

describe("usage", () => {
  it("knows the window that the last request was made for, where it was told", () => {
    const { events, add } = eventLog("s");
    const window = () => events.reduce(usageStep, noUsage).contextWindow;
    add("engine.request", { turn: 1, provider: "lab", model: "tiny", contextWindow: 8192 });
    expect(window()).toBe(8192);
    add("engine.request", { turn: 2, provider: "lab", model: "tiny" });
    expect(window()).toBe(8192);
    add("engine.request", { turn: 3, provider: "lab", model: "other" });
    expect(window()).toBeNull();
  });

  it("counts a request for a summary, which says nothing of how full the window is", () => {
    const { events, add } = eventLog("s");
    add("engine.request", { turn: 1, provider: "lab", model: "tiny", contextWindow: 8192 });
    add("engine.response", {
      usage: { ...untoldUsage, promptTokens: 7000, completionTokens: 5, costUsd: 0 },
    });
    add("engine.request", { turn: 1, provider: "lab", model: "cheap", purpose: "compaction" });
    add("engine.response", {
      purpose: "compaction",
      usage: { ...untoldUsage, promptTokens: 90, completionTokens: 5, costUsd: 0 },
    });
    const usage = () => events.reduce(usageStep, noUsage);
    expect(usage()).toMatchObject({ promptTokens: 7090, contextTokens: 7005, contextWindow: 8192 });
    add("context.compacted", { tokensBefore: 7005, tokensAfter: 3000 });
    expect(usage()).toMatchObject({ contextTokens: 3000, model: "lab/tiny" });
  });

  it("adds up, and an unknown cost makes the sum unknown rather than smaller", () => {
    const { events, add } = eventLog("s");
    add("engine.response", {
      usage: { ...untoldUsage, promptTokens: 100, completionTokens: 5, cachedTokens: 80, costUsd: 0.5 },
    });
    add("engine.response", {
      usage: { ...untoldUsage, promptTokens: 200, completionTokens: 5, cachedTokens: 0, costUsd: 0.25 },
    });
    expect(events.reduce(usageStep, noUsage)).toMatchObject({
      promptTokens: 300,
      costUsd: 0.75,
      contextTokens: 205,
    });
    add("engine.response", {
      usage: { ...untoldUsage, promptTokens: 1, completionTokens: 1, costUsd: null },
    });
    expect(events.reduce(usageStep, noUsage)).toMatchObject({
      promptTokens: 301,
      costUsd: null,
      requests: 3,
    });
  });
});
