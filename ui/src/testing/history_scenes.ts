/** Scenes of a session's past: queued, paused, rewound, forked, broken, run elsewhere. */
import type { Event, LineOrigin, PlanUpdated, RewindPreview, SessionSummary } from "../protocol/generated";
import { eventLog } from "./events";
import { createFake, demoProject, type Fake } from "./fake";

const project = demoProject.path;
const zero = 0;

const session = (
  sessionId: string,
  title: string,
  state: SessionSummary["state"],
  more: Partial<SessionSummary> = {},
): SessionSummary => ({
  sessionId,
  title,
  project,
  createdAt: zero,
  updatedAt: zero,
  state,
  pendingApprovals: 0,
  origin: null,
  parent: null,
  agent: "arki",
  pinned: false,
  archived: false,
  ...more,
});

type Log = ReturnType<typeof eventLog>;

function turn({ add }: Log, prompt: string, answer: string, files: string[] = []) {
  add("run.started", { prompt });
  for (const path of files) {
    const callId = `${path} ${prompt}`;
    add("tool.call", { callId, toolId: "edit_file", args: { path }, category: "write" });
    add("file.changed", { path, callId, beforeHash: "0", afterHash: "1", hunks: [1] });
    add("tool.result", { callId, toolId: "edit_file", result: "applied", isError: false, durationMs: 21 });
  }
  add("output.message", { role: "assistant", content: answer });
}

const plan: PlanUpdated = {
  intent: "Rename Widget to Panel without breaking those who use it.",
  steps: [
    { title: "Find every use of Widget", state: "done" },
    { title: "Rename the type and its module", state: "done" },
    { title: "Keep the old name as a deprecated alias", state: "in_progress" },
    {
      title: "Change the guide in docs/, its pictures and the generated reference of all crates",
      state: "pending",
    },
    { title: "Publish", state: "skipped" },
  ],
};

function worked(sessionId: string): Log {
  const log = eventLog(sessionId);
  log.add("session.created", { title: "Rename the widget API", project, agent: "arki" }, null);
  turn(log, "Rename Widget to Panel everywhere.", "Done: `Panel` it is, in 2 files.", [
    "crates/view/src/app.rs",
    "crates/view/src/lib.rs",
  ]);
  log.add("plan.updated", plan);
  log.add("checkpoint.created", { checkpointId: "k", lastSeq: 9, manifest: "", files: 212, skipped: 3 });
  turn(log, "Now keep the old name working.", "I added a deprecated alias.", ["crates/view/src/lib.rs"]);
  return log;
}

function queued(sessionId: string): Event[] {
  const log = worked(sessionId);
  log.add("run.started", { prompt: "Write the release notes, and check each link in them." });
  log.add("tool.call", {
    callId: "q",
    toolId: "search_files",
    args: { pattern: "deprecated" },
    category: "read",
  });
  log.add("message.queued", { messageId: "m1", text: "Leave the pictures out.", mode: "steer" });
  log.add("message.queued", {
    messageId: "m2",
    text: "Then bump the version to 2.5, but only in the crates that changed.",
    mode: "follow_up",
  });
  log.add("message.queued", {
    messageId: "m3",
    text: "Und danach auf Deutsch.\nمع الترجمة العربية",
    mode: "follow_up",
  });
  return log.events;
}

function paused(sessionId: string): Event[] {
  const log = worked(sessionId);
  log.add("run.started", { prompt: "Write the release notes." });
  log.add("output.message", { role: "assistant", content: "I'll begin with what changed for users." });
  log.add("run.paused", { reason: "user" });
  return log.events;
}

function rewound(sessionId: string): Event[] {
  const log = worked(sessionId);
  const before = log.events.findLast((event) => event.type === "run.started")?.seq ?? 1;
  turn(log, "And delete the tests that fail.", "I removed 4 tests.", ["crates/view/tests/panel.rs"]);
  log.add("run.completed", { response: "", turns: 3 });
  log.add("session.rewound", {
    toSeq: before - 1,
    files: true,
    conversation: true,
    changes: preview.changes,
  });
  turn(log, "Keep the old name working through an alias in the prelude.", "Done, in the prelude.");
  log.add("run.completed", { response: "", turns: 1 });
  return log.events;
}

function forked(sessionId: string): Event[] {
  const log = eventLog(sessionId);
  log.add("session.created", { title: "Rename the widget API", project, parentSession: "h2" }, null);
  log.add("session.forked", { fromSession: "h2", fromSeq: 11 }, null);
  turn(log, "Rename it to Surface instead.", "`Surface` it is.");
  return log.events;
}

function interrupted(sessionId: string): Event[] {
  const log = eventLog(sessionId);
  turn(log, "Find out why CI is red.", "");
  log.add("tool.call", {
    callId: "x",
    toolId: "run_command",
    args: { command: "cargo test" },
    category: "exec",
  });
  return log.events;
}

export const preview: Omit<RewindPreview, "toSeq" | "prompt"> = {
  changes: [
    { path: "crates/view/src/app.rs", action: "restore", beforeHash: "1", afterHash: "0" },
    { path: "crates/view/src/lib.rs", action: "conflict", beforeHash: "2", afterHash: null },
    { path: "docs/renames.md", action: "delete", beforeHash: "3", afterHash: null },
    { path: "crates/view/src/theme.rs", action: "keep", beforeHash: "4", afterHash: "4" },
  ],
  diff: `--- a/crates/view/src/app.rs
+++ b/crates/view/src/app.rs
@@ -38,7 +38,7 @@ impl App {
 
     /// Draws one frame.
     fn draw(&self, area: Rect) -> Result<(), DrawError> {
-        let panel = Panel::new(self.theme, area);
+        let widget = Widget::new(self.theme, area);
         Ok(())
     }
 
--- a/docs/renames.md
+++ /dev/null
@@ -1,3 +0,0 @@
-# Renames
-
-- \`Widget\` is now \`Panel\`.
`,
};

const nobody = {
  sessionId: null,
  runId: null,
  turn: null,
  prompt: null,
  callId: null,
  toolId: null,
  approvalId: null,
  seq: null,
  ts: null,
};
const arki = {
  ...nobody,
  author: "arki" as const,
  sessionId: "h2",
  runId: "run-h2",
  turn: 2,
  prompt: "Rename Widget to Panel everywhere.",
  callId: "c",
  toolId: "edit_file",
  approvalId: "a1",
  seq: 4,
  ts: Date.UTC(2026, 10, 21, 9, 31),
};
const source = `//! Views: what is drawn and where.

mod app;
mod panel;
mod theme;

pub use panel::Panel;
pub use theme::Theme;

#[deprecated(note = "renamed to Panel")]
pub type Widget = Panel;

/// The usual imports.
pub mod prelude {
    pub use crate::{Panel, Theme};
}`.split("\n");

export const lines: LineOrigin[] = source.map((text, place) => {
  const number = place + 1;
  if (number === 4 || number === 7) return { ...arki, number, text };
  if (number >= 9 && number <= 11)
    return {
      ...arki,
      number,
      text,
      turn: 1,
      prompt: "Now keep the old name working.",
      seq: 15,
      approvalId: null,
    };
  if (number >= 13) return { ...nobody, author: "user", number, text };
  return { ...nobody, author: "before", number, text };
});

export const history = (): Fake =>
  createFake({
    sessions: [
      session("h1", "Release notes for 2.5", "running"),
      session("h2", "Rename the widget API", "done"),
      session("h3", "Write the guide", "paused"),
      session("h4", "Rename the widget API", "idle", { origin: "h2" }),
      session("h5", "Why is CI red?", "interrupted"),
      session("h6", "A session of last year", "done"),
      session("h7", "Started in a terminal", "running", { project: "/home/ada/code/other-repo" }),
      session("h8", "Once more, with feeling", "done"),
    ],
    logs: {
      h1: queued("h1"),
      h2: rewound("h2"),
      h3: paused("h3"),
      h4: forked("h4"),
      h5: interrupted("h5"),
      h6: worked("h6").events,
      h7: interrupted("h7"),
      h8: queued("h8"),
    },
    history: {
      preview,
      lines,
      overviews: { h6: { brokenAt: 7 }, h7: { runBy: 48_211 } },
    },
  });
