//! Starting a run, and the result of sending a message.

use arki_domain::{ApprovalMode as Granted, RunOptions};

words! {
    /// The approvals granted beforehand, as the window offers them; in `plan` only reading is possible.
    ApprovalMode { Plan, Ask, Edits, All }
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
    /// The folder and session that the window shows and acts on; the session may be a new one.
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
