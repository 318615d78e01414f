//! Pipelines: what a run of one began with, and its steps.

use crate::{RunId, SessionId};
use std::collections::BTreeMap;

/// The `core` of a pipeline's run.
pub const PIPELINE_CORE: &str = "pipeline";

/// The longest output that stands in `step.completed` itself; a longer one lies beside the log.
pub const MAX_INLINE_OUTPUT_BYTES: usize = 16 << 10;

payload! {
    /// The reason why a step was passed over.
    #[derive(Default)]
    enum SkipReason {
        /// It was completed before with the same idempotency key.
        #[default]
        Done,
        /// Its condition does not hold.
        Condition,
    }

    /// The pipeline that a run is of, and what it was started with: enough to go on when the files are gone.
    PipelineStart {
        pub name: String,
        /// The source of the definition: a path, or `built in`.
        pub origin: String,
        /// SHA-256 hex of the definition's text, which is kept beside the log.
        pub definition_hash: String,
        /// The pipelines that it runs, at any depth, by the names by which steps run them: a run uses no others.
        pub nested?: BTreeMap<String, NestedDefinition>,
        /// The parameters, including their defaults.
        pub params?: BTreeMap<String, String>,
        /// SHA-256 hex of the input, which is kept beside the log, without secrets.
        pub input_hash: String,
        pub input_bytes: u64,
        /// The number of pipelines that it is nested in.
        pub depth?: u32,
        /// The run whose finished steps it took over, and the step that it begins with.
        pub retry_of?: Option<RetriedRun>,
        /// The schedule that started it.
        pub schedule?: Option<String>,
    }
    /// A pipeline that another one runs, as it was when that one started.
    NestedDefinition {
        /// The source, as that of the other one.
        pub origin: String,
        /// SHA-256 hex of its text, which is kept beside the log.
        pub definition_hash: String,
    }
    /// A run that another one repeats from a step on.
    RetriedRun {
        pub session_id: SessionId,
        pub run_id: RunId,
        pub step: String,
    }
    StepStarted {
        /// Its name; of one item of a `foreach` the name and the item's place, as in `each[0]`.
        pub step: String,
        pub idempotency_key: String,
        /// The number of the attempt, from 1.
        pub attempt: u32,
        /// The items of a `foreach`, in number.
        pub items?: Option<u32>,
    }
    StepCompleted {
        pub step: String,
        pub idempotency_key: String,
        pub attempt: u32,
        pub duration_ms: u64,
        /// A short output, without secrets.
        pub output?: Option<String>,
        /// SHA-256 hex of the output; a long one is kept beside the log under it.
        #[serde(default)]
        pub output_hash: String,
        #[serde(default)]
        pub output_bytes: u64,
    }
    StepFailed {
        pub step: String,
        pub idempotency_key: String,
        pub attempt: u32,
        pub duration_ms: u64,
        pub code: String,
        pub message: String,
        pub hint?: String,
        /// The time until it is tried again, in milliseconds; absent where it is not.
        pub retry_in_ms?: Option<u64>,
    }
    StepSkipped {
        pub step: String,
        pub idempotency_key: String,
        pub attempt: u32,
        pub duration_ms: u64,
        pub reason?: SkipReason,
    }
}
