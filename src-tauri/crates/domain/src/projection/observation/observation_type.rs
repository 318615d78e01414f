//! The thirteen types of seed 004. What is observed as which is decided elsewhere.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

named! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS, JsonSchema)]
    #[serde(rename_all = "SCREAMING_SNAKE_CASE")]
    ObservationType {
        Intent = "INTENT",
        Plan = "PLAN",
        Thoughts = "THOUGHTS",
        ToolCall = "TOOL_CALL",
        ToolExecution = "TOOL_EXECUTION",
        Synthesis = "SYNTHESIS",
        Error = "ERROR",
        FinalResponse = "FINAL_RESPONSE",
        StateUpdate = "STATE_UPDATE",
        LlmStreamStart = "LLM_STREAM_START",
        LlmStreamMetadata = "LLM_STREAM_METADATA",
        LlmStreamError = "LLM_STREAM_ERROR",
        LlmStreamEnd = "LLM_STREAM_END",
    }
    /// The contract's word.
    as_str
}

impl ObservationType {
    /// The type with that word, in any case.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str().eq_ignore_ascii_case(word))
    }
}
