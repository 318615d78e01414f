//! The thirteen types of seed 004. What is observed as which is decided elsewhere.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ObservationType {
    Intent,
    Plan,
    Thoughts,
    ToolCall,
    ToolExecution,
    Synthesis,
    Error,
    FinalResponse,
    StateUpdate,
    LlmStreamStart,
    LlmStreamMetadata,
    LlmStreamError,
    LlmStreamEnd,
}

impl ObservationType {
    pub const ALL: [Self; 13] = [
        Self::Intent,
        Self::Plan,
        Self::Thoughts,
        Self::ToolCall,
        Self::ToolExecution,
        Self::Synthesis,
        Self::Error,
        Self::FinalResponse,
        Self::StateUpdate,
        Self::LlmStreamStart,
        Self::LlmStreamMetadata,
        Self::LlmStreamError,
        Self::LlmStreamEnd,
    ];

    /// The contract's word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Intent => "INTENT",
            Self::Plan => "PLAN",
            Self::Thoughts => "THOUGHTS",
            Self::ToolCall => "TOOL_CALL",
            Self::ToolExecution => "TOOL_EXECUTION",
            Self::Synthesis => "SYNTHESIS",
            Self::Error => "ERROR",
            Self::FinalResponse => "FINAL_RESPONSE",
            Self::StateUpdate => "STATE_UPDATE",
            Self::LlmStreamStart => "LLM_STREAM_START",
            Self::LlmStreamMetadata => "LLM_STREAM_METADATA",
            Self::LlmStreamError => "LLM_STREAM_ERROR",
            Self::LlmStreamEnd => "LLM_STREAM_END",
        }
    }

    /// The type with that word, in any case.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str().eq_ignore_ascii_case(word))
    }
}
