/** Sessions with sub-agents: one that waits for the user and one that is done, of the same run. */
import type { Event, SessionSummary } from "../protocol/generated";
import { eventLog } from "./events";
import { createFake, demoProject, type Fake } from "./fake";

const project = demoProject.path;
const explored = "Find out where settings are read, and which of the places could read the database instead.";
const tested = "Run the tests of the settings crate and say which fail, and why.\nChange nothing.";

function summary(sessionId: string, title: string, of: Partial<SessionSummary>): SessionSummary {
  return {
    sessionId,
    title,
    project,
    createdAt: 0,
    updatedAt: 0,
    state: "done",
    pendingApprovals: 0,
    origin: null,
    parent: null,
    agent: "arki",
    pinned: false,
    archived: false,
    ...of,
  };
}

export const delegatingSessions: SessionSummary[] = [
  summary("tester", "Run the tests of the settings crate and say which fail, and why.", {
    createdAt: 3,
    state: "waiting",
    pendingApprovals: 1,
    parent: "lead",
    agent: "tester",
    pinned: false,
    archived: false,
  }),
  summary("explorer", explored, { createdAt: 2, parent: "lead", agent: "explorer" }),
  summary("lead", "Move the settings into the database", { createdAt: 1, state: "waiting" }),
  summary("other", "Release notes of November", {}),
];

export function delegatingLog(): Event[] {
  const { events, add } = eventLog("lead");
  const delegate = (callId: string, agent: string, task: string) => {
    add("tool.call", { callId, toolId: "delegate", args: { agent, task }, category: "read" });
    add("policy.decided", {
      callId,
      decision: "allow",
      rule: "category:read",
      reason: "Reading is allowed.",
    });
    add("subagent.started", { callId, agent, sessionId: agent, runId: `run-${agent}` });
  };
  const title = "Move the settings into the database";
  add("session.created", { title, project, agent: "arki" }, null);
  add("run.started", { prompt: `${title}.`, agent: "arki" });
  add("output.message", { role: "assistant", content: "I'll have somebody look for the places first." });
  delegate("d1", "explorer", explored);
  const result = "Two places: `src/settings.rs:41` and `src/app.rs:12`. Both could.";
  add("tool.result", { callId: "d1", toolId: "delegate", result, isError: false, durationMs: 41_200 });
  delegate("d2", "tester", tested);
  add("run.paused", { reason: "approval", approvalId: "tester-1" });
  return events;
}

export function testerLog(): Event[] {
  const { events, add } = eventLog("tester");
  const command = "cargo test -p arki-settings -- --nocapture";
  add(
    "session.created",
    { title: tested.split("\n")[0], project, agent: "tester", parentSession: "lead" },
    null,
  );
  add("run.started", {
    prompt: tested,
    agent: "tester",
    parent: { sessionId: "lead", runId: "run-lead", callId: "" },
  });
  add("tool.call", { callId: "t", toolId: "run_command", args: { command }, category: "exec" });
  add("approval.requested", {
    approvalId: "tester-1",
    callId: "t",
    toolId: "run_command",
    args: { command },
    risk: "medium",
    reason: "Running commands needs your approval.",
    sentences: [{ code: "CATEGORY_ASKED", values: { what: { code: "RUNNING_COMMANDS" } } }],
    command: {
      command,
      directory: project,
      environment: ["PATH", "HOME", "LANG"],
      sandbox: "bubblewrap: writes only in the project, no network",
      previewHash: "c".repeat(64),
    },
  });
  add("run.paused", { reason: "approval", approvalId: "tester-1" });
  return events;
}

function explorerLog(): Event[] {
  const { events, add } = eventLog("explorer");
  add("session.created", { title: explored, project, agent: "explorer", parentSession: "lead" }, null);
  add("run.started", {
    prompt: explored,
    agent: "explorer",
    parent: { sessionId: "lead", runId: "run-lead", callId: "" },
  });
  add("tool.call", { callId: "s", toolId: "search_files", args: { pattern: "settings" }, category: "read" });
  add("tool.result", {
    callId: "s",
    toolId: "search_files",
    result: "2 hits",
    isError: false,
    durationMs: 9,
  });
  const content = "Two places: `src/settings.rs:41` and `src/app.rs:12`. Both could.";
  add("output.message", { role: "assistant", content });
  add("run.completed", { response: content, turns: 2 });
  return events;
}

export const delegation = (): Fake =>
  createFake({
    sessions: delegatingSessions,
    logs: { lead: delegatingLog(), tester: testerLog(), explorer: explorerLog() },
  });
