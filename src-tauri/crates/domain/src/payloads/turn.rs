//! One turn of the model: the request, the answer, and what went wrong in between.

use super::Role;
use crate::{FinishReason, Reasoning, Usage};

payload! {
    /// The purpose of a request that is no turn of a run.
    enum RequestPurpose {
        /// A summary of what a compaction leaves out.
        Compaction,
        /// Conclusions from what was observed.
        Reflection,
    }

    /// The stage that a plan-execute-synthesize run is in with a request.
    #[derive(Hash)]
    enum Stage {
        /// The model says what it intends, in which steps, and its first calls.
        Plan,
        /// The same once more: what it said could not be read.
        Repair,
        /// The calls for a plan that the user changed.
        Execute,
        /// Another plan: calls of the last one failed.
        Replan,
        /// The answer to the user.
        Synthesize,
    }

    EngineRequest {
        pub turn: u32,
        pub provider: String,
        pub model: String,
        pub request_hash: String,
        pub message_count: usize,
        /// The model's context window, in tokens. Absent where the last request for the same model told it, and where
        /// it is only assumed.
        pub context_window?: Option<u64>,
        /// Absent for a turn.
        pub purpose?: Option<RequestPurpose>,
        /// Only of a core that works in stages.
        pub stage?: Option<Stage>,
        /// The SHA-256 of the system prompt, tools and options as they lie beside the log. Of a turn absent where they
        /// are those of the run's last one; absent in earlier versions.
        pub head_hash?: Option<String>,
    }
    EngineResponse {
        pub turn: u32,
        pub finish_reason: FinishReason,
        pub usage: Usage,
        /// Milliseconds from sending the request to the first token; null where none came.
        pub ttft_ms: Option<u64>,
        pub duration_ms: u64,
        /// Absent for a turn.
        pub purpose?: Option<RequestPurpose>,
    }
    OutputMessage {
        pub turn: u32,
        pub role: Role,
        pub content: String,
        pub thoughts?: Option<String>,
        /// The vendor's data to send back with this turn.
        pub reasoning?: Option<Reasoning>,
        /// Cut off: by the user, by a fault or by a crash.
        pub interrupted: bool,
        /// Cut off by an error, and the request was sent again: the answer that follows takes its place.
        pub retried?: bool,
    }
    /// The request is sent again.
    EngineRetry {
        pub turn: u32,
        pub code: String,
        pub delay_ms: u64,
        /// The number of the attempt, from 1.
        pub attempt: u32,
    }
}
