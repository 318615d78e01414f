import { describe, expect, it } from "vitest";
import type { ToolCategory } from "../protocol/generated";
import type { ToolItem } from "../protocol/transcript";
import { foldTranscript } from "./conversation_fold";
import { eventLog } from "./events";

const tools = (items: { kind: string }[]) => items.filter((item) => item.kind === "tool") as ToolItem[];

describe("foldTranscript", () => {
  it("tells a plan in the place of the text it was read from, and asks about it without a call", () => {
    const { events, add } = eventLog("s");
    add("run.started", { prompt: "Hello" });
    add("engine.request", { turn: 1, stage: "plan" });
    add("output.message", { turn: 1, role: "assistant", content: '{"intent": "Mend"}' });
    add("plan.proposed", { intent: "Mend", steps: [{ title: "Look", state: "pending" }] });
    add("tool.call", { callId: "c", toolId: "read_file", args: {} });
    add("approval.requested", { approvalId: "a", kind: "plan", callId: null, toolId: "plan" });
    add("run.paused", { reason: "plan", approvalId: "a" });
    const { items, run, pausedFor } = foldTranscript(events);
    expect(items.map((item) => item.kind)).toEqual(["user", "notice", "tool"]);
    expect(items[1]).toMatchObject({
      notice: { what: "planned", intent: "Mend", steps: [{ title: "Look" }] },
    });
    expect([run, pausedFor, tools(items)[0]?.state]).toEqual(["paused", "plan", "waiting"]);
    add("run.resumed", { reason: "plan", approvalId: "a" });
    expect(tools(foldTranscript(events).items)[0]?.state).toBe("running");
  });

  it("tells attempts in a row in one line, the last of them", () => {
    const { events, add } = eventLog("s");
    add("run.started", { prompt: "Hello" });
    for (const attempt of [1, 2, 3]) {
      add("engine.request", { turn: 1 });
      add("engine.retry", { turn: 1, code: "PROVIDER_UNREACHABLE", delayMs: 1000, attempt });
    }
    const { items } = foldTranscript(events);
    expect(items).toHaveLength(2);
    expect(items[1]).toMatchObject({ notice: { what: "retried", attempt: 3 } });
  });

  it("shows calls that were read off a text as calls alone, and what is said beside calls", () => {
    const shown = (stage: "execute" | "synthesize", content: string) => {
      const { events, add } = eventLog("s");
      add("engine.request", { turn: 2, stage });
      add("output.message", { turn: 2, role: "assistant", content });
      add("tool.call", { turn: 2, callId: "c", toolId: "read_file", args: {} });
      return foldTranscript(events).items.map((item) => item.kind);
    };
    expect(shown("execute", "Here they are.")).toEqual(["tool"]);
    expect(shown("synthesize", '```json\n{"toolCalls": []}\n```')).toEqual(["tool"]);
    expect(shown("synthesize", '<think>One file.</think>\n{"toolCalls": []}\n')).toEqual(["tool"]);
    expect(shown("synthesize", "One more look.")).toEqual(["assistant", "tool"]);
    expect(shown("synthesize", "```sh\ncargo test\n```\nThis passes now.")).toEqual(["assistant", "tool"]);
    expect(shown("synthesize", "{name} is a placeholder.")).toEqual(["assistant", "tool"]);
  });

  it("tells a run from prompt to answer, with its tool call in between", () => {
    const { events, add } = eventLog("s");
    add("run.started", { prompt: "Hello" });
    add("engine.request", { turn: 1 });
    add("tool.call", { callId: "c", toolId: "read_file", args: { path: "a.rs" }, category: "read" });
    add("tool.result", { callId: "c", toolId: "read_file", result: "text", isError: false, durationMs: 7 });
    add("output.message", { role: "assistant", content: "Done", thoughts: "hm" });
    add("run.completed", {});
    const { items, run, lastPrompt } = foldTranscript(events);
    expect(items.map((item) => item.kind)).toEqual(["user", "tool", "assistant"]);
    expect(items[1]).toMatchObject({ state: "done", durationMs: 7, result: "text" });
    expect(items[2]).toMatchObject({ text: "Done", thoughts: "hm", turn: 1, interrupted: false });
    expect({ run, lastPrompt }).toEqual({ run: "ended", lastPrompt: "Hello" });
  });

  it("shows a sub-agent in the background as at work until its result comes", () => {
    const { events, add } = eventLog("s");
    add("tool.call", { callId: "d", toolId: "delegate", args: {}, asyncCallId: "d" });
    add("subagent.started", { callId: "d", agent: "explorer", sessionId: "e", runId: "r" });
    add("tool.result", { callId: "d", toolId: "delegate", result: "Working.", asyncCallId: "d" });
    expect(foldTranscript(events).items).toMatchObject([{ state: "running", result: null }]);
    add("tool.async_result", { asyncCallId: "d", toolId: "delegate", result: "Found.", isError: false });
    expect(foldTranscript(events).items).toMatchObject([{ state: "done", result: "Found." }]);
  });

  it("has the pictures that a message shows", () => {
    const { events, add } = eventLog("s");
    const picture = { mediaType: "image/png", contentHash: "a".repeat(64) };
    const options = { approve: "ask", maxTurns: null, maxSeconds: null, maxCostUsd: null } as const;
    add("run.started", { prompt: "Look", options: { ...options, images: [picture] } });
    add("run.started", { prompt: "Go on" });
    expect(foldTranscript(events).items).toMatchObject([{ pictures: [picture] }, { pictures: [] }]);
  });

  it("says while a summary is being written, until it is there or the run is over", () => {
    const { events, add } = eventLog("s");
    const compacting = () => foldTranscript(events).compacting;
    add("run.started", { prompt: "Hello" });
    add("engine.request", { turn: 1 });
    expect(compacting()).toBe(false);
    add("engine.request", { turn: 1, purpose: "compaction" });
    expect(compacting()).toBe(true);
    add("engine.response", { purpose: "compaction" });
    add("context.compacted", {});
    expect(compacting()).toBe(false);
    add("engine.request", { turn: 2, purpose: "compaction" });
    add("run.cancelled", {});
    expect(compacting()).toBe(false);
  });

  it("has a compaction where it happened, and nothing of the conversation is gone", () => {
    const { events, add } = eventLog("s");
    add("run.started", { prompt: "Hello" });
    add("context.compacted", { tokensBefore: 900, tokensAfter: 400, prunedCalls: ["a", "b"], summary: "" });
    add("output.message", { role: "assistant", content: "Done" });
    const { items } = foldTranscript(events);
    expect(items.map((item) => item.kind)).toEqual(["user", "compacted", "assistant"]);
    expect(items[1]).toMatchObject({ strategy: "prune", tokensBefore: 900, tokensAfter: 400, results: 2 });
  });

  it("shows a call as waiting, then as rejected, and keeps it rejected when its result arrives", () => {
    const { events, add } = eventLog("s");
    add("tool.call", { callId: "c", toolId: "edit_file", args: {} });
    add("approval.requested", {
      approvalId: "a",
      callId: "c",
      toolId: "edit_file",
      args: {},
      reason: "writes ask",
    });
    expect(tools(foldTranscript(events).items)[0]).toMatchObject({
      state: "waiting",
      approvalId: "a",
      reason: "writes ask",
    });
    add("approval.resolved", { approvalId: "a", decision: "reject" });
    add("tool.result", { callId: "c", result: "rejected by the user", isError: true });
    expect(tools(foldTranscript(events).items)[0]).toMatchObject({
      state: "rejected",
      result: "rejected by the user",
    });
  });

  it("goes back to running when approved and names the files that were written", () => {
    const { events, add } = eventLog("s");
    add("tool.call", { callId: "c", toolId: "edit_file", args: {} });
    add("approval.requested", { approvalId: "a", callId: "c" });
    add("approval.resolved", { approvalId: "a", decision: "approve" });
    expect(tools(foldTranscript(events).items)[0]?.state).toBe("running");
    add("file.changed", { path: "src/a.rs", callId: "c" });
    expect(tools(foldTranscript(events).items)[0]?.files).toEqual(["src/a.rs"]);
  });

  describe("a call that has not begun", () => {
    const turnOf = (calls: readonly { callId: string; toolId: string; category: ToolCategory }[]) => {
      const log = eventLog("s");
      log.add("run.started", { prompt: "x" });
      log.add("engine.request", { turn: 1 });
      for (const call of calls) log.add("tool.call", { turn: 1, args: {}, ...call });
      const states = () => tools(foldTranscript(log.events).items).map((call) => call.state);
      return { ...log, states };
    };
    const edit = (callId: string) => ({ callId, toolId: "edit_file", category: "write" }) as const;
    const read = (callId: string, toolId = "read_file") => ({ callId, toolId, category: "read" }) as const;

    it("waits its turn behind one that waits for the user, and behind one at work", () => {
      const { add, states } = turnOf([edit("a"), edit("b"), read("c")]);
      expect(states()).toEqual(["running", "queued", "queued"]);
      add("policy.decided", { callId: "a", decision: "approval" });
      add("approval.requested", { approvalId: "p", callId: "a", toolId: "edit_file" });
      add("run.paused", { reason: "approval", approvalId: "p" });
      expect(states()).toEqual(["waiting", "queued", "queued"]);
      add("approval.resolved", { approvalId: "p", decision: "approve" });
      add("run.resumed", { reason: "approval", approvalId: "p" });
      expect(states()).toEqual(["running", "queued", "queued"]);
      add("tool.result", { callId: "a", toolId: "edit_file" });
      expect(states()).toEqual(["done", "running", "queued"]);
      add("run.cancelled", {});
      expect(states()).toEqual(["done", "interrupted", "interrupted"]);
    });

    it("is no read that goes together with others", () => {
      const { add, states } = turnOf([read("a"), read("b"), edit("c"), read("d")]);
      expect(states()).toEqual(["running", "running", "queued", "queued"]);
      for (const callId of ["a", "b", "c"]) add("tool.result", { callId });
      expect(states()).toEqual(["done", "done", "done", "running"]);
      // It reads what another call of its turn may bring.
      expect(turnOf([read("a"), read("b", "read_result")]).states()).toEqual(["running", "queued"]);
    });

    it("is no sub-agent that works beside others", () => {
      const { add, states } = turnOf([read("a", "delegate"), read("b", "delegate"), read("c", "delegate")]);
      for (const callId of ["a", "b"])
        add("subagent.started", { callId, agent: "explorer", sessionId: callId, runId: "r" });
      expect(states()).toEqual(["running", "running", "queued"]);
    });

    it("waits while the user has paused the run", () => {
      const { add, states } = turnOf([edit("a"), edit("b")]);
      add("tool.result", { callId: "a" });
      add("run.paused", { reason: "user" });
      expect(states()).toEqual(["done", "queued"]);
      add("run.resumed", { reason: "user" });
      expect(states()).toEqual(["done", "running"]);
    });
  });

  describe("a hook", () => {
    it("that failed or objected is told on the card of its call, and one that did its work nowhere", () => {
      const { events, add } = eventLog("s");
      const ofCall = { callId: "c", event: "PostToolUse" } as const;
      add("tool.call", { callId: "c", toolId: "edit_file", args: {} });
      add("tool.result", { callId: "c" });
      add("hook.ran", { ...ofCall, hook: "fmt", exitCode: 0, outcome: "passed", said: "formatted" });
      add("hook.ran", { ...ofCall, hook: "lint", exitCode: 1, outcome: "failed", said: "Exit code 1." });
      add("hook.ran", { ...ofCall, hook: "guard", exitCode: 2, outcome: "blocked", said: "no" });
      const { items } = foldTranscript(events);
      expect(items.map((item) => item.kind)).toEqual(["tool"]);
      expect(tools(items)[0]?.hooks.map((ran) => ran.hook)).toEqual(["lint", "guard"]);
    });

    it("of a moment without a call is told in a line of its own", () => {
      const { events, add } = eventLog("s");
      add("run.started", { prompt: "x" });
      add("hook.ran", { hook: "a", event: "SessionStart", exitCode: 0, outcome: "passed" });
      add("hook.ran", { hook: "b", event: "SessionStart", exitCode: null, outcome: "timed_out" });
      // The run's failure tells this one.
      add("hook.ran", { hook: "c", event: "UserPromptSubmit", exitCode: 2, outcome: "blocked" });
      add("hook.ran", { hook: "d", event: "Stop", exitCode: 2, outcome: "blocked", said: "tests fail" });
      // Of an earlier version.
      add("hook.ran", { hook: "e", exitCode: 0 });
      add("hook.ran", { hook: "f", exitCode: 3 });
      const told = foldTranscript(events).items.flatMap((item) =>
        item.kind === "hook" ? item.ran.hook : [],
      );
      expect(told).toEqual(["b", "d", "f"]);
    });
  });

  it("gives a result whose call lies before the window a card of its own", () => {
    const { events, add } = eventLog("s");
    add("tool.result", { callId: "lost", toolId: "read_file", result: "x", isError: false });
    expect(foldTranscript(events).items).toMatchObject([
      { kind: "tool", toolId: "read_file", state: "done" },
    ]);
  });

  it("leaves no call running after the run has ended", () => {
    const { events, add } = eventLog("s");
    add("run.started", { prompt: "x" });
    add("tool.call", { callId: "c", toolId: "run_command", args: {} });
    add("run.failed", { code: "E", message: "broke", hint: "do this", retryable: true });
    const { items } = foldTranscript(events);
    expect(tools(items)[0]?.state).toBe("interrupted");
    expect(items.at(-1)).toMatchObject({ kind: "failure", code: "E", hint: "do this", retryable: true });
  });

  it("marks a stop, a denial and an interrupted answer", () => {
    const { events, add } = eventLog("s");
    add("tool.call", { callId: "c", toolId: "write_file", args: {} });
    add("policy.decided", { callId: "c", decision: "deny", rule: "untrusted" });
    add("output.message", { role: "assistant", content: "", interrupted: true });
    add("run.cancelled", {});
    const { items } = foldTranscript(events);
    expect(items[0]).toMatchObject({ state: "denied", reason: "untrusted" });
    expect(items[1]).toMatchObject({ kind: "assistant", interrupted: true });
    expect(items[2]).toMatchObject({ kind: "notice", notice: { what: "stopped" } });
  });

  it("ignores what it cannot read", () => {
    const { events, add, addUnknown } = eventLog("s");
    addUnknown("something.new", { a: 1 });
    addUnknown("tool.call", { callId: 7 });
    addUnknown("output.message", null);
    add("run.failed");
    expect(foldTranscript(events).items.map((item) => item.kind)).toEqual(["failure"]);
  });

  it("folds step by step to the same as all at once", () => {
    const { events, add } = eventLog("s");
    add("run.started", { prompt: "x" });
    add("tool.call", { callId: "c", toolId: "t", args: {} });
    add("tool.result", { callId: "c", result: "1" });
    add("run.paused", { reason: "budget" });
    const halves = foldTranscript(events.slice(2), foldTranscript(events.slice(0, 2)));
    expect(halves).toEqual(foldTranscript(events));
    expect(halves.pausedFor).toBe("budget");
  });
});
