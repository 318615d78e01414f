//! Facts and reflections remembered from a conversation.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

payload! {
    /// What happened in a run, read off its events.
    MemoryObserved {
        pub observations: Vec<Remembered>,
    }
    /// What a model concluded from it.
    MemoryReflected {
        pub reflections: Vec<Remembered>,
    }
    /// One fact, or one conclusion from others.
    Remembered {
        pub id: String,
        pub text: String,
        /// The ids of the events that it comes from.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub based_on: Vec<String>,
        /// The scope proposed for keeping it beyond the session, if any: the user decides.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub proposed_for: Option<MemoryScope>,
    }
    /// The user decided about something that is proposed to be remembered.
    MemoryReviewed {
        pub id: String,
        pub decision: MemoryDecision,
        /// The user's wording, if they changed it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub text: Option<String>,
    }
}

/// Whose memory it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MemoryScope {
    /// `<project>/.arki/memory`
    Project,
    /// `<config>/memory`
    User,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MemoryDecision {
    Accepted,
    Rejected,
}
