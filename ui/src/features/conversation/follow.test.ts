import { describe, expect, it } from "vitest";
import { mainArgument } from "../../components/tool_words";
import { deltaStep, nothingLive } from "../../protocol/live";
import { emptyTranscript } from "../../protocol/transcript";
import { foldTranscript } from "../../testing/conversation_fold";
import { eventLog } from "../../testing/events";
import { itemAt } from "./place";
import { foldedIn, rowsOf, standingOf } from "./rows";
import { follows } from "./steady";

const quiet = {
  live: nothingLive,
  standing: null,
  atEnd: true,
  unfolded: new Set<string>(),
  idle: true,
  untrusted: true,
};

const at = (top: number, height: number, view = 500) => ({ top, height, view });

describe("following the end", () => {
  it("goes on while the content grows below", () => {
    expect(follows(true, at(500, 1000), at(500, 1400), true)).toBe(true);
  });
  it("ends when the reader scrolls up, and begins again at the end", () => {
    expect(follows(true, at(500, 1000), at(300, 1000), true)).toBe(false);
    expect(follows(false, at(300, 1000), at(480, 1000), true)).toBe(true);
  });
  it("never begins by itself because something arrives", () => {
    expect(follows(false, at(300, 1000), at(300, 1400), true)).toBe(false);
  });
  it("is not ended by rows that turn out smaller than estimated", () => {
    expect(follows(true, at(1500, 2400), at(1300, 2200), true)).toBe(true);
  });
  it("is not ended by a browser that puts it back to its top when it comes to overflow", () => {
    expect(follows(true, at(19, 519), at(0, 650), false)).toBe(true);
    expect(follows(true, at(19, 519), at(0, 650), true)).toBe(false);
    expect(follows(false, at(19, 519), at(0, 650), false)).toBe(false);
  });
  it("is not ended by a view that grows while an answer comes", () => {
    expect(follows(true, at(1500, 2000, 500), at(1460, 2300, 540), true)).toBe(true);
  });
});

describe("rows", () => {
  it("put the answer under way at the end, but not under an older page", () => {
    const live = deltaStep(
      nothingLive,
      { sessionId: "s", runId: "r", turn: 1, tokenType: "LLM_RESPONSE", text: "Hi" },
      0,
    );
    const given = { ...quiet, transcript: emptyTranscript, live };
    expect(rowsOf(given)).toMatchObject([
      { key: "answer r:1", streaming: true, speaker: true, told: { speaks: true } },
    ]);
    expect(rowsOf({ ...given, atEnd: false })).toEqual([]);
  });

  it("fold what was taken back into one row, and unfold it", () => {
    const { events, add } = eventLog("s");
    add("run.started", { prompt: "first" });
    add("run.started", { prompt: "second" });
    add("output.message", { role: "assistant", content: "answer" });
    add("session.rewound", { toSeq: 1, files: false, conversation: true });
    const transcript = foldTranscript(events);
    const given = { ...quiet, transcript };
    const folded = rowsOf(given);
    expect(folded.map((row) => row.item.kind)).toEqual(["user", "taken", "rewound"]);
    expect(folded[1]?.item).toMatchObject({ messages: 2, open: false });
    const answer = transcript.items[2]?.key ?? "";
    const keys = foldedIn(transcript.items, answer);
    expect(keys).toContain(folded[1]?.item.key);
    const unfolded = rowsOf({ ...given, unfolded: new Set(keys) });
    expect(unfolded.map((row) => row.item.kind)).toEqual(["user", "taken", "user", "assistant", "rewound"]);
    expect(foldedIn(transcript.items, transcript.items[0]?.key ?? "")).not.toContain(keys[0]);
  });

  it("fold calls that only read, from three on, and leave those that are under way or say more", () => {
    const { events, add } = eventLog("s");
    add("run.started", { prompt: "x" });
    const read = (callId: string, isError = false) => {
      add("tool.call", { callId, toolId: "read_file", args: { path: `${callId}.rs` }, category: "read" });
      add("tool.result", { callId, result: "x", isError, durationMs: 5 });
    };
    const kinds = (open: string[] = []) =>
      rowsOf({ ...quiet, transcript: foldTranscript(events), unfolded: new Set(open) }).map(
        (row) => row.item.kind,
      );
    read("a");
    read("b", true);
    expect(kinds()).toEqual(["user", "tool", "tool"]);
    // The model says nothing between them.
    add("output.message", { role: "assistant", content: "", turn: 1 });
    read("c");
    add("tool.call", { callId: "d", toolId: "read_file", args: {}, category: "read" });
    add("tool.call", { callId: "e", toolId: "run_command", args: {}, category: "exec" });
    expect(kinds()).toEqual(["user", "reads", "tool", "tool"]);
    const { items } = foldTranscript(events);
    const found = items.find((item) => item.kind === "tool" && item.callId === "c")?.key ?? "";
    expect(kinds(foldedIn(items, found)).slice(0, 4)).toEqual(["user", "reads", "tool", "tool"]);
  });

  it("offer to trust the folder at the last call that lacked it, and to go on after a failure that was the end", () => {
    const { events, add } = eventLog("s");
    add("run.started", { prompt: "x" });
    for (const callId of ["a", "b"]) {
      add("tool.call", { callId, toolId: "write_file", args: {} });
      add("policy.decided", { callId, decision: "deny", rule: "builtin:untrusted" });
    }
    add("run.failed", { code: "PROVIDER_AUTH" });
    const transcript = foldTranscript(events);
    const offers = (of: Partial<typeof quiet>) =>
      rowsOf({ ...quiet, ...of, transcript }).map((row) => row.offers);
    expect(offers({})).toEqual([null, null, "trust", "resume"]);
    expect(offers({ untrusted: false })).toEqual([null, null, null, "resume"]);
    expect(offers({ idle: false })).toEqual([null, null, "trust", null]);
  });

  it("fold neither sub-agents nor what is at the end of a run that goes on, and stay open as older pages come", () => {
    const { events, add } = eventLog("s");
    const done = (callId: string, toolId: string) => {
      add("tool.call", { callId, toolId, args: {}, category: "read" });
      add("tool.result", { callId, toolId, result: "x" });
    };
    add("run.started", { prompt: "x" });
    for (const callId of ["d1", "d2", "d3"]) done(callId, "delegate");
    for (const callId of ["a", "b", "c"]) done(callId, "read_file");
    const rows = (open: string[] = [], from = 0) =>
      rowsOf({ ...quiet, transcript: foldTranscript(events.slice(from)), unfolded: new Set(open) });
    const tools = ["tool", "tool", "tool"];
    expect(rows().map((row) => row.item.kind)).toEqual(["user", ...tools, ...tools]);
    add("run.completed", { response: "" });
    const folded = rows();
    expect(folded.map((row) => row.item.kind)).toEqual(["user", ...tools, "reads"]);
    done("e", "read_file");
    // What was opened while the page began at the second call.
    const later = rows([], 9);
    expect(later[0]?.item).toMatchObject({ kind: "reads", open: false });
    const opened = rows([later[0]?.item.key ?? ""]);
    expect(opened.at(-5)?.item).toMatchObject({ kind: "reads", open: true });
  });

  it("end with how a run stands that is not over", () => {
    const { events, add } = eventLog("s");
    add("run.started", { prompt: "x" });
    add("run.paused", { reason: "budget" });
    const transcript = foldTranscript(events);
    const standing = standingOf("paused", transcript);
    expect(standing?.words).toContain("limit");
    const rows = rowsOf({ ...quiet, transcript, standing });
    expect(rows.at(-1)?.item.kind).toBe("stopped");
    expect(standingOf("interrupted", transcript)?.state).toBe("interrupted");
    expect(
      ["running", "waiting", "done", "failed"].map((state) => standingOf(state as "done", transcript)),
    ).toEqual([null, null, null, null]);
  });
});

describe("a place in the transcript", () => {
  it("is the card of the call that the event is about, else the row before it", () => {
    const { events, add } = eventLog("s");
    add("run.started", { prompt: "x" });
    add("tool.call", { callId: "c", toolId: "run_command", args: {} });
    add("output.message", { role: "assistant", content: "answer" });
    add("tool.result", { callId: "c", result: "found here" });
    add("engine.response", {});
    const transcript = foldTranscript(events);
    expect([1, 4, 5, 9].map((seq) => itemAt(events, transcript, seq)?.kind ?? null)).toEqual([
      "user",
      "tool",
      "assistant",
      null,
    ]);
  });
});

describe("mainArgument", () => {
  it("is what the call is about", () => {
    expect(mainArgument({ pattern: "Widget", glob: "*.rs" })).toBe('"Widget"');
    expect(mainArgument({ command: "a\nb" })).toBe("a …");
    expect(mainArgument({ patch: "*** Update File: x.rs\n*** Add File: y.rs" })).toBe("2 files");
    expect(mainArgument({ patch: "*** Update File: x.rs" })).toBe("x.rs");
    expect(mainArgument(null)).toBe("");
  });
});
