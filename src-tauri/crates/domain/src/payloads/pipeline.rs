//! The steps of a pipeline.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

payload! {
    StepStarted {
        pub step: String,
        pub idempotency_key: String,
        /// From 1.
        pub attempt: u32,
    }
    StepCompleted {
        pub step: String,
        pub idempotency_key: String,
        pub attempt: u32,
        pub duration_ms: u64,
    }
    StepFailed {
        pub step: String,
        pub idempotency_key: String,
        pub attempt: u32,
        pub duration_ms: u64,
        pub code: String,
        pub message: String,
    }
    StepSkipped {
        pub step: String,
        pub idempotency_key: String,
        pub attempt: u32,
        pub duration_ms: u64,
    }
}
