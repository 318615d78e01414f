//! Facts and reflections remembered from a conversation.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use ts_rs::TS;

payload! {
    /// The observations of a run, derived from its events.
    #[derive(Default)]
    MemoryObserved {
        pub observations: Vec<Remembered>,
        /// The events that they were read off.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub processed_seq_range: Option<SeqRange>,
    }
    /// The numbers of the first and the last event.
    SeqRange {
        pub start: u64,
        pub end: u64,
    }
    /// The conclusions that a model drew from observations.
    #[derive(Default)]
    MemoryReflected {
        pub reflections: Vec<Remembered>,
        /// The texts of those that are goals still open.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub goals: Vec<String>,
        /// The texts of those that stood in the way.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub blockers: Vec<String>,
    }
    /// One fact, or one conclusion from others.
    #[derive(Default)]
    Remembered {
        pub id: String,
        /// The kind of an observation; absent for a conclusion.
        #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
        pub kind: Option<ObservedKind>,
        pub text: String,
        /// The ids of the events that it comes from.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub based_on: Vec<String>,
        /// The subject of an observation, such as `toolId`.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        pub context: BTreeMap<String, String>,
        /// The model's confidence in a conclusion, from 0 to 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub confidence: Option<f64>,
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ObservedKind {
    Fact,
    Error,
    Success,
}

/// The scope of a memory: the project or the user.
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
