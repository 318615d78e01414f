//! Sessions, as they are listed, the tools that each goes without, and the state that it keeps.

use crate::ReviewChange;
use arki_domain::projection::{self, SessionState, SessionSummary as Summary};
use arki_domain::{Category, WorktreeOf};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use ts_rs::TS;

wire! {
    SessionSummary {
        pub session_id: String,
        pub title: String,
        pub project: String,
        pub created_at: i64,
        pub updated_at: i64,
        pub state: SessionState,
        pub pending_approvals: u32,
        /// The session it was forked from.
        pub origin: Option<String>,
        /// The session whose run it works for, where it is a sub-agent's.
        pub parent: Option<String>,
        pub agent: String,
        /// Lists show it first.
        pub pinned: bool,
        /// Lists leave it out, until its next run.
        pub archived: bool,
        /// The worktree that its folder is or was.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub worktree: Option<WorktreeOf>,
    }
    /// A session's changes as one, from before its first to after its last.
    SessionResult {
        pub files: Vec<ResultFile>,
        /// Proposed for a commit.
        pub message: String,
        /// Null where the folder is in no git repository whose changes Arki could commit.
        pub branch: Option<String>,
    }
    ResultFile {
        pub path: String,
        pub change: ReviewChange,
        /// Lines; null where it isn't text, is too large, or isn't kept any more.
        pub added: Option<u32>,
        pub removed: Option<u32>,
        /// The user changed it since: it isn't what the session left.
        pub is_changed_since: bool,
        pub is_committed: bool,
    }
    CommittedChanges {
        /// The beginning of its hash.
        pub commit: String,
        pub files: Vec<String>,
        /// Files whose changes lie among the user's own in the same lines.
        pub mixed: Vec<String>,
        /// Ignored files, links, and those that a filter of git's writes.
        pub left_out: Vec<String>,
        /// Hooks and settings of the repository that a commit in a terminal would have heeded.
        pub not_run: Vec<String>,
    }
    /// The size of a session's changes: the files before the first change compared with those after the last.
    #[derive(PartialEq, Eq)]
    SessionLines {
        pub session_id: String,
        /// The files that differ.
        pub files: u32,
        /// Lines; null where a file isn't text, is too large, or isn't kept any more.
        pub added: Option<u32>,
        pub removed: Option<u32>,
    }

    SessionToolEntry {
        pub name: String,
        /// The description that the model gets.
        pub description: String,
        pub category: Category,
        pub enabled: bool,
    }
}

/// The state of a session: one JSON object.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS, JsonSchema)]
#[ts(export)]
pub struct AgentState(#[ts(type = "{ [key: string]: unknown }")] pub Map<String, Value>);

impl From<projection::AgentState> for AgentState {
    fn from(state: projection::AgentState) -> Self {
        Self(state.values().clone())
    }
}

impl From<Summary> for SessionSummary {
    fn from(summary: Summary) -> Self {
        Self {
            session_id: summary.session_id.to_string(),
            title: summary.title,
            project: summary.project,
            created_at: summary.created_at,
            updated_at: summary.updated_at,
            state: summary.state,
            pending_approvals: u32::from(summary.pending_approval.is_some()),
            origin: summary.origin.map(|origin| origin.to_string()),
            parent: summary.parent.map(|parent| parent.to_string()),
            agent: summary.agent,
            pinned: summary.pinned,
            archived: summary.archived,
            worktree: None,
        }
    }
}
