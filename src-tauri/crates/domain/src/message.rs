//! The one form of a conversation that is translated for every vendor (seed 004's standard prompt).

use crate::CallId;
use serde::{Deserialize, Serialize};

/// A message of the prompt. The order of the list is the order of the conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    System {
        content: String,
    },
    User {
        content: String,
    },
    Assistant {
        content: String,
        thoughts: Option<String>,
    },
    /// The model asks for tools, perhaps after some words.
    ToolRequest {
        content: String,
        thoughts: Option<String>,
        calls: Vec<ToolRequest>,
    },
    /// The answer to one call of the request before it.
    ToolResult {
        call_id: CallId,
        tool_id: String,
        content: String,
        is_error: bool,
    },
}

/// One call as the model wrote it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolRequest {
    pub call_id: CallId,
    pub tool_id: String,
    /// The arguments' text exactly as received: it may not even be JSON.
    pub arguments: String,
}
