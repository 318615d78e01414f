//! A session as the list shows it.

use crate::{ApprovalId, Event, EventBody, RunId, SessionId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

named! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    SessionState {
        Idle = "idle",
        Running = "running",
        /// An approval or a question waits for the user.
        Waiting = "waiting",
        /// A budget or the user paused the run.
        Paused = "paused",
        Done = "done",
        Failed = "failed",
        Cancelled = "cancelled",
        /// Was running when its process ended.
        Interrupted = "interrupted",
    }
    as_str
}

impl SessionState {
    /// The inverse of [`Self::as_str`]; `Idle` for an unknown word.
    #[must_use]
    pub fn from_word(word: &str) -> Self {
        Self::ALL.into_iter().find(|state| state.as_str() == word).unwrap_or(Self::Idle)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionSummary {
    pub session_id: SessionId,
    pub title: String,
    /// Canonical path of the folder.
    pub project: String,
    /// Milliseconds since 1970.
    pub created_at: i64,
    pub updated_at: i64,
    pub state: SessionState,
    /// The run that is active, paused or was the last.
    pub run_id: Option<RunId>,
    pub pending_approval: Option<ApprovalId>,
    /// The session that this one began in.
    pub origin: Option<SessionId>,
    /// The session whose run this one works for, where it is a sub-agent's.
    pub parent: Option<SessionId>,
    /// The agent, by its name in the configuration.
    pub agent: String,
    /// Lists show it first.
    pub pinned: bool,
    /// Lists leave it out.
    pub archived: bool,
}

impl SessionSummary {
    #[must_use]
    pub fn new(session_id: SessionId) -> Self {
        Self {
            session_id,
            title: String::new(),
            project: String::new(),
            created_at: 0,
            updated_at: 0,
            state: SessionState::Idle,
            run_id: None,
            pending_approval: None,
            origin: None,
            parent: None,
            agent: String::new(),
            pinned: false,
            archived: false,
        }
    }

    pub fn apply(&mut self, event: &Event, body: &EventBody) {
        if !matches!(body, EventBody::SessionConfigured(configured) if configured.only_marks()) {
            self.updated_at = self.updated_at.max(event.ts);
        }
        match body {
            EventBody::SessionCreated(created) => {
                self.title.clone_from(&created.title);
                self.project.clone_from(&created.project);
                self.created_at = event.ts;
                self.parent.clone_from(&created.parent_session);
                self.agent.clone_from(&created.agent);
            }
            EventBody::SessionConfigured(configured) => {
                if let Some(title) = &configured.title {
                    self.title.clone_from(title);
                }
                self.pinned = configured.pinned.unwrap_or(self.pinned);
                self.archived = configured.archived.unwrap_or(self.archived);
            }
            EventBody::SessionForked(forked) => {
                self.origin = Some(forked.from_session.clone());
                self.parent = None;
            }
            EventBody::RunStarted(_) => {
                self.state = SessionState::Running;
                self.archived = false;
                self.run_id.clone_from(&event.run_id);
                self.pending_approval = None;
            }
            EventBody::RunResumed(_) => self.state = SessionState::Running,
            EventBody::ApprovalRequested(requested) => {
                self.pending_approval = Some(requested.approval_id.clone());
                self.state = SessionState::Waiting;
            }
            EventBody::ApprovalResolved(resolved) => self.resolve(&resolved.approval_id),
            EventBody::QuestionAsked(_) => self.state = SessionState::Waiting,
            EventBody::QuestionAnswered(_) if self.state == SessionState::Waiting => self.state = SessionState::Running,
            // What a sub-agent asks is in the sub-agent's session.
            EventBody::RunPaused(paused) if paused.waits_for_user() => {
                self.state = SessionState::Waiting;
            }
            EventBody::RunPaused(_) => self.state = SessionState::Paused,
            EventBody::RunCompleted(_) => self.end(SessionState::Done),
            EventBody::RunFailed(_) => self.end(SessionState::Failed),
            EventBody::RunCancelled(_) => self.end(SessionState::Cancelled),
            _ => {}
        }
    }

    fn resolve(&mut self, approval_id: &ApprovalId) {
        if self.pending_approval.as_ref() == Some(approval_id) {
            self.pending_approval = None;
            self.state = SessionState::Running;
        }
    }

    fn end(&mut self, state: SessionState) {
        self.state = state;
        self.pending_approval = None;
    }
}
