/** Pipelines of a folder, a run at its gate with its session's events, older runs, and a schedule. */
import type {
  Event,
  PipelineEntry,
  PipelineRunDetails,
  PipelineRunEntry,
  PipelineSchedule,
  PipelineStepEntry,
  SessionSummary,
} from "../protocol/generated";
import { eventLog } from "./events";
import { createFake, demoProject, fail } from "./fake";

type Given = NonNullable<Parameters<typeof createFake>[0]>;

export const pipelineOf = (name: string, more: Partial<PipelineEntry> = {}): PipelineEntry => ({
  name,
  description: "",
  origin: `.arki/pipelines/${name}.yaml`,
  params: [],
  steps: [{ name: "only", adapter: "command", needs: [] }],
  grants: [],
  problem: null,
  ...more,
});

export const release = pipelineOf("release", {
  description: "Writes the notes of a release and publishes them once you agree.",
  params: [
    { name: "version", type: "string", default: null, description: "Such as 2.4.0.", choices: [] },
    { name: "tone", type: "string", default: "plain", description: "", choices: ["plain", "proud"] },
    { name: "most", type: "integer", default: "20", description: "Commits that are looked at.", choices: [] },
    { name: "dry", type: "boolean", default: "true", description: "Publish nothing.", choices: [] },
  ],
  steps: [
    { name: "log", adapter: "command", needs: [] },
    { name: "tests", adapter: "command", needs: [] },
    { name: "notes", adapter: "agent", needs: ["log"] },
    { name: "gate", adapter: "approval", needs: ["notes", "tests"] },
    { name: "publish", adapter: "http", needs: ["gate"] },
  ],
  grants: ["The step publish sends a request to releases.example.org."],
});

export const broken = pipelineOf("broken", {
  steps: [],
  problem: "4:7: Unknown adapter `comand`.",
});

export const stepOf = (step: string, more: Partial<PipelineStepEntry> = {}): PipelineStepEntry => ({
  step,
  state: "pending",
  attempts: 0,
  durationMs: 0,
  adapter: "command",
  needs: [],
  items: null,
  itemsDone: null,
  failure: null,
  sessionId: null,
  outputBytes: null,
  ...more,
});

export const runOf = (runId: string, more: Partial<PipelineRunEntry> = {}): PipelineRunEntry => ({
  runId,
  sessionId: "p1",
  name: "release",
  state: "done",
  startedAt: Date.UTC(2026, 10, 21, 9, 30),
  endedAt: Date.UTC(2026, 10, 21, 9, 30, 3),
  schedule: null,
  ...more,
});

const done = { state: "completed", attempts: 1 } as const;

export const stepsAtGate: PipelineStepEntry[] = [
  stepOf("log", { ...done, durationMs: 40, outputBytes: 18 }),
  stepOf("tests", { ...done, attempts: 2, durationMs: 3200, outputBytes: 0 }),
  stepOf("notes", { ...done, adapter: "agent", needs: ["log"], durationMs: 9000, outputBytes: 12 }),
  stepOf("gate", { state: "waiting", attempts: 1, adapter: "approval", needs: ["notes", "tests"] }),
  stepOf("publish", { adapter: "http", needs: ["gate"] }),
];

export const detailsOf = (
  steps: PipelineStepEntry[],
  run: Partial<PipelineRunEntry> = {},
  more: Partial<PipelineRunDetails> = {},
): PipelineRunDetails => ({
  run: runOf("run-p1", { state: "waiting", endedAt: null, ...run }),
  origin: ".arki/pipelines/release.yaml",
  params: { version: "2.4.0" },
  inputBytes: 0,
  steps,
  approvalId: null,
  failure: null,
  ...more,
});

/** The log of a run that waits at its gate. */
export function gateLog() {
  const log = eventLog("p1");
  const { add } = log;
  add("session.created", { title: "Pipeline release", project: demoProject.path, agent: "pipeline:" });
  add("run.started", { prompt: "release", agent: "pipeline:" });
  add("step.started", { step: "log" });
  add("step.started", { step: "tests" });
  add("step.completed", { step: "log", durationMs: 40, outputBytes: 18, outputHash: "h-log" });
  add("step.failed", {
    step: "tests",
    code: "STEP_FAILED",
    message: "Exit code 1.",
    durationMs: 900,
    retryInMs: 200,
  });
  add("step.started", { step: "tests", attempt: 2 });
  add("step.completed", { step: "tests", attempt: 2, durationMs: 3200 });
  add("step.completed", { step: "notes", durationMs: 9000, outputHash: "h-notes" });
  add("artifact.emitted", {
    artifactId: "a",
    name: "notes.md",
    mediaType: "text/markdown",
    bytes: 12,
    contentHash: "h-notes",
  });
  add("step.started", { step: "gate" });
  add("approval.requested", {
    approvalId: "gate-1",
    kind: "gate",
    callId: null,
    toolId: "approval",
    args: {
      step: "gate",
      pipeline: "release",
      message: "Publish?",
      input: "# 2.4.0\nFaster.",
      inputBytes: 15,
    },
    reason: "The pipeline needs your approval to continue.",
    sentences: [{ code: "GATE" }],
  });
  add("run.paused", { reason: "approval" });
  return log;
}

export const nightly: PipelineSchedule = {
  name: "nightly",
  pipeline: "release",
  folder: demoProject.path,
  cron: "30 7 * * MON-FRI",
  timeZone: "Europe/Berlin",
  missed: "skip",
  params: { version: "nightly" },
  isOn: true,
  nextAt: Date.UTC(2026, 10, 23, 6, 30),
  last: null,
};

export const pipelineSession: SessionSummary = {
  sessionId: "p1",
  title: "Pipeline release",
  project: demoProject.path,
  createdAt: Date.UTC(2026, 10, 21, 9, 30),
  updatedAt: Date.UTC(2026, 10, 21, 9, 30),
  state: "waiting",
  pendingApprovals: 1,
  origin: null,
  parent: null,
  agent: "pipeline:",
  pinned: false,
  archived: false,
};

/** Runs of three weeks, most of which went well. */
function pastRuns(): PipelineRunEntry[] {
  return Array.from({ length: 24 }, (_, n) => {
    const startedAt = Date.UTC(2026, 10, 20 - n, 6, 30);
    const state = n % 7 === 3 ? "failed" : n % 11 === 5 ? "cancelled" : "done";
    const name = n % 5 === 4 ? "explain-folder" : "release";
    const schedule = n % 2 === 0 ? "nightly" : null;
    const ms = 8000 + 5000 * Math.sin(n);
    return runOf(`old-${n}`, { name, state, schedule, startedAt, endedAt: startedAt + ms });
  });
}

export function pipelinesFake(
  handlers: Given["handlers"] = {},
  logs: Record<string, Event[]> = { p1: gateLog().events },
) {
  return createFake({
    sessions: [pipelineSession],
    logs,
    handlers: {
      list_pipelines: () => [release, pipelineOf("explain-folder", { origin: "built in" }), broken],
      start_pipeline: () => ({ sessionId: "p1", runId: "run-p1", messageId: null }),
      list_pipeline_runs: () => [runOf("run-p1", { state: "waiting", endedAt: null }), ...pastRuns()],
      pipeline_run: () => detailsOf(stepsAtGate, {}, { approvalId: "gate-1" }),
      save_step_output: ({ step }) => `/home/ada/Downloads/${step}.txt`,
      step_output: ({ step }) => (step === "tests" ? "" : `what ${step} said`),
      resume_pipeline: () => ({ sessionId: "p1", runId: "run-p1", messageId: null }),
      retry_pipeline: () => fail("USAGE", "This run hasn't ended."),
      list_schedules: () => [nightly],
      ...handlers,
    },
  });
}
