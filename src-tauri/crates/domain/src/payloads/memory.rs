//! What is remembered of a conversation.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

payload! {
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
