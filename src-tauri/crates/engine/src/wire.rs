//! What the window and the engine say to each other. `cargo xtask codegen` writes these types into
//! `ui/src/protocol/generated`; the lint fails when they are stale.

use crate::KeyStatus;
use arki_domain::projection::{SessionState, SessionSummary as Summary};
use arki_domain::{ApprovalMode, RunOptions, TokenType};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;
use ts_rs::TS;

/// A stored event as it goes to the window: the contract's form.
#[derive(Debug, Clone, TS)]
#[ts(export, rename = "Event")]
pub struct WireEvent(
    #[ts(
        type = "{ eventId: string; runId: string | null; sessionId: string; seq: number; ts: number; type: string; payload: Record<string, unknown>; prevHash: string; hash: string }"
    )]
    pub Arc<arki_domain::Event>,
);

macro_rules! wire {
    ($($(#[$doc:meta])* $name:ident { $($body:tt)* })*) => {
        $(#[derive(Debug, Clone, Serialize, Deserialize, TS)]
        #[serde(rename_all = "camelCase")]
        #[ts(export)]
        $(#[$doc])*
        pub struct $name { $($body)* })*
    };
}

macro_rules! words {
    ($($(#[$doc:meta])* $name:ident { $($word:ident),* $(,)? })*) => {
        $(#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
        #[serde(rename_all = "snake_case")]
        #[ts(export)]
        $(#[$doc])*
        pub enum $name { $($word),* })*
    };
}

mod bounded;
mod elicitation;
mod from_history;
mod history;
mod mcp;
mod models;
mod processes;
mod provider_test;
mod session_tools;
pub(crate) use bounded::shortened;
pub use bounded::{ReviewPage, WireReviewFile};
pub use elicitation::*;
pub use history::*;
pub use mcp::*;
pub use models::*;
pub use processes::*;
pub use provider_test::*;
pub use session_tools::*;

words! {
    TrustState { Trusted, Untrusted, Undecided }
    PinChange { Added, Changed, Removed }
    KeepScope { Session, Always }
}

/// The shape of `arki_domain::TokenType`.
#[derive(TS)]
#[ts(export, rename = "TokenType", rename_all = "SCREAMING_SNAKE_CASE")]
pub enum WireTokenType {
    LlmThinking,
    LlmResponse,
    AgentThoughtLlmResponse,
    FinalSynthesisLlmResponse,
}

/// The shape of `arki_domain::projection::SessionState`.
#[derive(TS)]
#[ts(export, rename = "SessionState", rename_all = "snake_case")]
pub enum WireSessionState {
    Idle,
    Running,
    Waiting,
    Paused,
    Done,
    Failed,
    Cancelled,
    Interrupted,
}

/// What is granted beforehand, as the window offers it; in `plan` nothing but reading exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export, rename = "ApprovalMode")]
pub enum WireApprovalMode {
    Plan,
    Ask,
    Edits,
    All,
}

impl From<WireApprovalMode> for RunOptions {
    fn from(mode: WireApprovalMode) -> Self {
        let (plan, approve) = match mode {
            WireApprovalMode::Plan => (true, ApprovalMode::Ask),
            WireApprovalMode::Ask => (false, ApprovalMode::Ask),
            WireApprovalMode::Edits => (false, ApprovalMode::Edits),
            WireApprovalMode::All => (false, ApprovalMode::All),
        };
        Self { approve, plan, ..Self::default() }
    }
}

wire! {
    /// Streamed text of one turn, everything since the last frame joined.
    #[ts(rename = "OutputDelta")]
    WireDelta {
        pub session_id: String,
        pub run_id: String,
        pub turn: u32,
        #[ts(as = "WireTokenType")]
        pub token_type: TokenType,
        pub text: String,
    }
    /// What a running command printed since the last frame.
    CommandOutput {
        pub session_id: String,
        pub run_id: String,
        pub call_id: String,
        pub text: String,
    }
    /// A piece of the folder that is executable or instructs the model.
    Pin {
        pub kind: String,
        pub path: String,
        pub hash: String,
        /// What it does, where its path does not say.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub note: Option<String>,
    }
    /// What is no longer as the user agreed to.
    ChangedPin {
        pub kind: String,
        pub path: String,
        pub change: PinChange,
        /// What it does now, where its path does not say.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        pub note: Option<String>,
        pub diff: Option<String>,
    }
    ProjectState {
        pub path: String,
        pub name: String,
        pub trust: TrustState,
        pub enables: Vec<Pin>,
        pub changed: Vec<ChangedPin>,
        /// What the user should know of the folder besides, a sentence each.
        pub notices: Vec<String>,
    }
    SessionSummary {
        pub session_id: String,
        pub title: String,
        pub project: String,
        pub created_at: i64,
        pub updated_at: i64,
        #[ts(as = "WireSessionState")]
        pub state: SessionState,
        pub pending_approvals: u32,
        /// The session it was forked from.
        pub origin: Option<String>,
        /// The session whose run it works for, where it is a sub-agent's.
        pub parent: Option<String>,
        pub agent: String,
    }
    PartialAnswer {
        pub run_id: String,
        pub turn: u32,
        pub text: String,
        pub thoughts: String,
    }
    ProviderEntry {
        pub name: String,
        pub kind: String,
        pub base_url: Option<String>,
        pub is_local: bool,
        pub key_source: KeyStatus,
        pub key_env: Option<String>,
    }
    #[ts(rename = "Hunk")]
    WireHunk {
        pub index: usize,
        pub path: String,
        pub old_start: usize,
        pub old_lines: usize,
        pub new_start: usize,
        pub new_lines: usize,
    }
    /// The shape of `arki_domain::ChangePreview`.
    #[ts(rename = "Preview")]
    WirePreview {
        pub files_affected: Vec<String>,
        pub lines_changed: usize,
        /// Empty where it is large.
        pub diff: String,
        /// Of a diff that is too large to be sent: it comes in pages, and the hunks with it.
        pub diff_hash: Option<String>,
        pub hunks: Vec<WireHunk>,
        pub preview_hash: String,
    }
    #[ts(rename = "CommandPreview")]
    WireCommandPreview {
        pub command: String,
        pub directory: String,
        pub environment: Vec<String>,
        pub sandbox: String,
        pub preview_hash: String,
    }
    ApprovalSummary {
        pub approval_id: String,
        pub session_id: String,
        pub run_id: String,
        pub call_id: String,
        pub tool_id: String,
        #[ts(type = "unknown")]
        pub args: serde_json::Value,
        pub risk: String,
        pub reason: String,
        pub requested_at: i64,
        /// Unanswered for so long, it counts as rejected; null: it waits for ever.
        pub timeout_seconds: Option<u64>,
        pub preview: Option<WirePreview>,
        #[ts(as = "Option<WireCommandPreview>")]
        pub command: Option<arki_domain::CommandPreview>,
    }
    /// A question of the model whose run waits for the answer.
    QuestionSummary {
        pub question_id: String,
        pub session_id: String,
        pub run_id: String,
        pub call_id: String,
        pub text: String,
        /// Answers to choose from; another may be given.
        pub options: Vec<String>,
    }
    #[ts(rename = "Resolution")]
    WireResolution {
        #[ts(type = "\"approve\" | \"reject\"")]
        pub decision: arki_domain::ApprovalDecision,
        /// The accepted hunks; null = all.
        pub hunks: Option<Vec<usize>>,
        /// By hunk: the user's own text for its new side.
        pub edited: Option<BTreeMap<usize, String>>,
        /// The user's own command in place of the one that was shown.
        pub command: Option<String>,
        pub note: Option<String>,
        pub preview_hash: String,
        /// Null or absent: approved this once.
        #[serde(default)]
        #[ts(optional = nullable)]
        pub keep: Option<WireKeep>,
    }
    /// An approval that holds for longer.
    #[ts(rename = "Keep")]
    WireKeep {
        pub scope: KeepScope,
        /// The rule as `proposed_rule` gave it and the user was shown it.
        pub rule: String,
    }
    AppState {
        pub version: String,
        pub data_dir: String,
        pub project: Option<ProjectState>,
        pub recent_projects: Vec<String>,
        pub default_model: String,
        /// What confines commands, or `none`.
        pub sandbox: String,
    }
    /// What the window shows, and so acts on: a folder, and a session of it or a new one.
    Shown {
        pub folder: String,
        pub session_id: Option<String>,
    }
    SendOptions {
        pub model: Option<String>,
        pub approve: WireApprovalMode,
    }
    /// Either a run began or the message was queued.
    Sent {
        pub session_id: String,
        pub run_id: Option<String>,
        pub message_id: Option<String>,
    }
    /// Every command of the window is rejected with this.
    CommandError {
        pub code: String,
        pub message: String,
        pub hint: String,
    }
}

/// Everything since the last frame, in order. `missed`: there was more than could be kept; read the pages again.
#[derive(Debug, Clone, Default, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Frame {
    pub events: Vec<WireEvent>,
    pub deltas: Vec<WireDelta>,
    pub command_output: Vec<CommandOutput>,
    /// What MCP servers ask is to be listed anew.
    pub elicitations_changed: bool,
    pub missed: bool,
}

/// The last events before a point of a session, oldest first.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct SessionPage {
    pub events: Vec<WireEvent>,
    pub has_more: bool,
    pub partial: Option<PartialAnswer>,
}

impl From<arki_domain::ChangePreview> for WirePreview {
    fn from(preview: arki_domain::ChangePreview) -> Self {
        let hunk = |hunk: arki_domain::Hunk| WireHunk {
            index: hunk.index,
            path: hunk.path,
            old_start: hunk.old_start,
            old_lines: hunk.old_lines,
            new_start: hunk.new_start,
            new_lines: hunk.new_lines,
        };
        let hunks = if preview.diff_hash.is_some() { Vec::new() } else { preview.hunks };
        Self {
            files_affected: preview.files_affected,
            lines_changed: preview.lines_changed,
            diff: preview.diff,
            diff_hash: preview.diff_hash,
            hunks: hunks.into_iter().map(hunk).collect(),
            preview_hash: preview.preview_hash,
        }
    }
}

impl From<arki_domain::Fault> for CommandError {
    fn from(fault: arki_domain::Fault) -> Self {
        Self { code: fault.code, message: fault.message, hint: fault.hint }
    }
}

impl From<arki_domain::PartialAnswer> for PartialAnswer {
    fn from(partial: arki_domain::PartialAnswer) -> Self {
        Self { run_id: partial.run_id.to_string(), turn: partial.turn, text: partial.text, thoughts: partial.thoughts }
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
        }
    }
}

impl From<crate::OpenQuestion> for QuestionSummary {
    fn from(open: crate::OpenQuestion) -> Self {
        Self {
            question_id: open.asked.question_id.to_string(),
            session_id: open.session_id.to_string(),
            run_id: open.run_id.to_string(),
            call_id: open.asked.call_id.to_string(),
            text: open.asked.text,
            options: open.asked.options,
        }
    }
}

impl From<Option<WireKeep>> for crate::Keep {
    fn from(keep: Option<WireKeep>) -> Self {
        match keep {
            None => Self::Once,
            Some(WireKeep { scope: KeepScope::Session, rule }) => Self::Session { shown: rule },
            Some(WireKeep { scope: KeepScope::Always, rule }) => Self::Always { shown: rule },
        }
    }
}

impl Sent {
    #[must_use]
    pub fn started(run: &crate::ActiveRun) -> Self {
        Self { session_id: run.session_id.to_string(), run_id: Some(run.run_id.to_string()), message_id: None }
    }
}
