//! What is remembered of a conversation, and what was dropped from it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

payload! {
    ContextCompacted {
        pub strategy: String,
        pub tokens_before: u64,
        pub tokens_after: u64,
        /// First and last event whose messages the summary replaces.
        pub dropped_seq_range: (u64, u64),
        pub summary: String,
    }
    MemoryObserved {
        pub observations: Vec<Remembered>,
    }
    MemoryReflected {
        pub reflections: Vec<Remembered>,
    }
    /// One fact, or one conclusion from others.
    Remembered {
        pub id: String,
        pub text: String,
        /// What a reflection was drawn from.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub based_on: Vec<String>,
    }
}
