//! What begins a run and what came of sending a message.

use arki_domain::{ApprovalMode as Granted, RunOptions};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What is granted beforehand, as the window offers it; in `plan` nothing but reading exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum ApprovalMode {
    Plan,
    Ask,
    Edits,
    All,
}

impl From<ApprovalMode> for RunOptions {
    fn from(mode: ApprovalMode) -> Self {
        let (plan, approve) = match mode {
            ApprovalMode::Plan => (true, Granted::Ask),
            ApprovalMode::Ask => (false, Granted::Ask),
            ApprovalMode::Edits => (false, Granted::Edits),
            ApprovalMode::All => (false, Granted::All),
        };
        Self { approve, plan, ..Self::default() }
    }
}

wire! {
    /// What the window shows, and so acts on: a folder, and a session of it or a new one.
    Shown {
        pub folder: String,
        pub session_id: Option<String>,
    }
    SendOptions {
        pub model: Option<String>,
        pub approve: ApprovalMode,
    }
    /// Either a run began or the message was queued.
    Sent {
        pub session_id: String,
        pub run_id: Option<String>,
        pub message_id: Option<String>,
    }
}
