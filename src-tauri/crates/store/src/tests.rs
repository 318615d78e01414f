//! Tests over several modules; those of one module stand in it.

mod answering;
mod appending;
mod collecting;
mod contents;
mod cursors;
mod files;
mod filling_disk;
mod finishing;
mod fixtures;
mod inbox;
#[cfg(unix)]
mod killed;
mod lagging;
mod leasing;
mod listing;
mod opening;
mod paging;
mod power_loss;
mod remembering;
mod removing;
mod searching;
mod sharing;
mod snapshots;
mod tailing;
mod tampering;
mod tracing_files;
mod verifying;

use crate::{Store, StoreOptions};
use arki_domain::{
    ApprovalId, CallId, Clock, Event, EventBody, EventDraft, RunId, RunOptions, RunStarted, SessionCreated, SessionId,
    ToolCall,
};
use arki_redaction::Redactor;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use tempfile::TempDir;

const START_MS: i64 = 1_760_000_000_000;

/// A clock that stands still until it is set.
#[derive(Clone)]
pub(crate) struct HandClock(Arc<AtomicI64>);

impl HandClock {
    pub(crate) fn new() -> Self {
        Self(Arc::new(AtomicI64::new(START_MS)))
    }

    pub(crate) fn set(&self, ms: i64) {
        self.0.store(ms, Ordering::SeqCst);
    }
}

impl Clock for HandClock {
    fn now_ms(&self) -> i64 {
        self.0.load(Ordering::SeqCst)
    }
}

/// A store on a file of its own, and the clock it goes by.
pub(crate) struct Fixture {
    pub(crate) store: Store,
    pub(crate) clock: HandClock,
    pub(crate) path: PathBuf,
    _folder: TempDir,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("arki.db");
        let clock = HandClock::new();
        let store = Store::open(&path, options_with(&clock)).unwrap();
        Self { store, clock, path, _folder: folder }
    }

    pub(crate) async fn append(&self, session: &SessionId, drafts: Vec<EventDraft>) -> Vec<Arc<Event>> {
        self.store.append(session, drafts).await.unwrap()
    }
}

pub(crate) fn options() -> StoreOptions {
    options_with(&HandClock::new())
}

pub(crate) fn options_with(clock: &HandClock) -> StoreOptions {
    StoreOptions { clock: Arc::new(clock.clone()), redactor: Redactor::default() }
}

/// Another program's hand on the file.
pub(crate) fn foreign(path: &Path) -> rusqlite::Connection {
    rusqlite::Connection::open(path).unwrap()
}

pub(crate) fn created(title: &str, project: &str) -> EventDraft {
    EventDraft::of_session(SessionCreated {
        title: title.into(),
        project: project.into(),
        agent: "arki".into(),
        parent_session: None,
        worktree: None,
    })
}

/// The session of a sub-agent that works for another.
pub(crate) fn subagent_created(agent: &str, parent: &str) -> EventDraft {
    EventDraft::of_session(SessionCreated {
        title: "A task".to_owned(),
        project: "/p".to_owned(),
        agent: agent.to_owned(),
        parent_session: Some(parent.into()),
        worktree: None,
    })
}

pub(crate) fn started(run: &RunId, prompt: &str) -> EventDraft {
    EventDraft::of_run(
        run,
        RunStarted {
            prompt: prompt.into(),
            agent: "arki".into(),
            model: "demo/demo".into(),
            core: "tool-loop".into(),
            system_prompt_hash: "00".into(),
            options: RunOptions::default(),
            message_id: None,
            parent: None,
            session_start: None,
            request: None,
        },
    )
}

pub(crate) fn called(run: &RunId, args: serde_json::Value) -> EventDraft {
    EventDraft::of_run(
        run,
        ToolCall {
            turn: 1,
            call_id: CallId::from("c1"),
            tool_id: "read_file".into(),
            args,
            category: None,
            async_call_id: None,
        },
    )
}

/// A body from the contract's form, for kinds with many fields.
pub(crate) fn parsed(run: &RunId, kind: &str, payload: &serde_json::Value) -> EventDraft {
    let body = EventBody::parse(kind, &payload.to_string());
    assert_ne!(body, EventBody::Unknown, "{kind} {payload}");
    EventDraft::of_run(run, body)
}

pub(crate) fn approval_requested(run: &RunId, approval: &ApprovalId, supersedes: Option<&ApprovalId>) -> EventDraft {
    let payload = serde_json::json!({
        "approvalId": approval, "callId": "c1", "toolId": "run_command", "args": {"command": "make"}, "risk": "low",
        "rule": "category:exec", "reason": "commands ask", "supersedes": supersedes,
    });
    parsed(run, "approval.requested", &payload)
}

pub(crate) fn approval_resolved(run: &RunId, approval: &ApprovalId, decision: &str) -> EventDraft {
    let payload = serde_json::json!({
        "approvalId": approval, "decision": decision, "resolvedBy": "user", "previewHash": "00",
    });
    parsed(run, "approval.resolved", &payload)
}

pub(crate) fn completed(run: &RunId) -> EventDraft {
    let payload = serde_json::json!({"response": "done", "turns": 1, "usage": {}});
    parsed(run, "run.completed", &payload)
}
