/** Scenes of what a session may stand at: decisions with a time and a rule, a retry, a budget, running programs. */
import type { Event, RunningCommand, SessionSummary } from "../protocol/generated";
import { eventLog } from "./events";
import { createFake, demoProject, type Fake } from "./fake";
import { mcpServer } from "./mcp";

const project = demoProject.path;
const minute = 60_000;

function session(sessionId: string, title: string, state: SessionSummary["state"]): SessionSummary {
  return {
    sessionId,
    title,
    project,
    createdAt: 0,
    updatedAt: 0,
    state,
    pendingApprovals: state === "waiting" ? 1 : 0,
    origin: null,
    parent: null,
    agent: "arki",
    pinned: false,
    archived: false,
  };
}

/** As if it had happened just now, so that what counts down has something to count. */
function since(events: readonly Event[], ageMs: number): Event[] {
  return events.map((event) => ({ ...event, ts: Date.now() - ageMs }));
}

function waiting(sessionId: string, command: string, ageMs: number): Event[] {
  const { events, add } = eventLog(sessionId);
  add("run.started", { prompt: "Do all tests of the view pass?" });
  add("output.message", { role: "assistant", content: "I'd like to run them." });
  add("tool.call", { callId: "t", toolId: "run_command", args: { command }, category: "exec" });
  add("approval.requested", {
    approvalId: `${sessionId}-1`,
    callId: "t",
    toolId: "run_command",
    args: { command },
    risk: "medium",
    reason: "Commands are asked about (default:exec).",
    timeoutSeconds: 600,
    command: {
      command,
      directory: project,
      environment: ["PATH", "HOME", "LANG"],
      sandbox: "bubblewrap: writes only in the project, no network",
      previewHash: "c".repeat(64),
    },
  });
  add("run.paused", { reason: "approval", approvalId: `${sessionId}-1` });
  return since(events, ageMs);
}

function overBudget(sessionId: string): Event[] {
  const { events, add } = eventLog(sessionId);
  add("run.started", { prompt: "Mend every warning of the linter." });
  add("output.message", { role: "assistant", content: "48 of 112 are mended." });
  add("run.paused", { reason: "budget" });
  return events;
}

function retrying(sessionId: string): Event[] {
  const { events, add } = eventLog(sessionId);
  add("run.started", { prompt: "Summarise the changes of this week." });
  add("engine.retry", { turn: 1, code: "PROVIDER_RATE_LIMITED", delayMs: 40_000, attempt: 2 });
  return since(events, 0);
}

function calling(sessionId: string): Event[] {
  const { events, add } = eventLog(sessionId);
  add("run.started", { prompt: "Compare the three reports." });
  for (const [callId, url] of [
    ["m1", "https://example.org/annual"],
    ["m2", "https://example.org/quarterly"],
  ]) {
    add("tool.call", { callId, toolId: "mcp__docs__fetch", args: { url }, category: "network" });
    add("policy.decided", { callId, decision: "allow", rule: "grant:all", risk: "low" });
  }
  return events;
}

const running: RunningCommand[] = [
  {
    id: 1,
    pid: 4120,
    mcpServer: null,
    command: "npm run dev -- --host 127.0.0.1 --port 5173 --strictPort --config vite.config.ts",
    directory: project,
    startedAt: Date.now() - 4 * minute,
    runningMs: 4 * minute,
    processes: 3,
    memoryBytes: 212 * 1024 * 1024,
    cpuMs: 8100,
    ports: [5173, 24_678],
    ownNetwork: true,
  },
  {
    id: 2,
    pid: 4188,
    mcpServer: "git",
    command: "uvx mcp-server-git",
    directory: project,
    startedAt: Date.now() - minute,
    runningMs: minute,
    processes: 2,
    memoryBytes: 58 * 1024 * 1024,
    cpuMs: 900,
    ports: [],
    ownNetwork: true,
  },
];

export const states = (): Fake =>
  createFake({
    sessions: [
      session("w1", "Run the tests of the view", "waiting"),
      session("w2", "Publish the guide", "waiting"),
      session("w3", "Mend the warnings", "paused"),
      session("w4", "Summarise the week", "running"),
      session("w5", "Compare the reports", "running"),
    ],
    logs: {
      w1: waiting("w1", "cargo test -p arki-view --all-targets", 6 * minute),
      w2: waiting("w2", "make publish", 11 * minute),
      w3: overBudget("w3"),
      w4: retrying("w4"),
      w5: calling("w5"),
    },
    mcpServers: [mcpServer({})],
    handlers: {
      list_processes: () => running,
      proposed_rule: ({ approvalId }) =>
        approvalId === "w1-1"
          ? '{"decision":"allow","tool":"run_command","command":["cargo","test"],"project":"/home/ada/code/arki","reason":"approved by the user"}'
          : null,
    },
  });
