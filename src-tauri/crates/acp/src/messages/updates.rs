//! The news of a session.

use crate::messages::content::ContentBlock;
use crate::messages::opening::SessionConfigOption;
use crate::messages::tool_calls::ToolCallUpdate;
use serde::Serialize;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SessionNotification<'a> {
    pub(crate) session_id: &'a str,
    pub(crate) update: &'a SessionUpdate,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "sessionUpdate", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub(crate) enum SessionUpdate {
    UserMessageChunk(TextChunk),
    AgentMessageChunk(TextChunk),
    AgentThoughtChunk(TextChunk),
    ToolCall(ToolCallUpdate),
    ToolCallUpdate(ToolCallUpdate),
    Plan {
        entries: Vec<PlanEntry>,
    },
    AvailableCommandsUpdate {
        available_commands: Vec<AvailableCommand>,
    },
    CurrentModeUpdate {
        current_mode_id: &'static str,
    },
    ConfigOptionUpdate {
        config_options: Vec<SessionConfigOption>,
    },
    SessionInfoUpdate {
        title: String,
        updated_at: Option<String>,
    },
    UsageUpdate {
        used: u64,
        size: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        cost: Option<UsageCost>,
    },
}

/// A piece of a message; those with one ID are one message.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TextChunk {
    content: ContentBlock,
    message_id: String,
}

impl TextChunk {
    pub(crate) fn new(message_id: impl Into<String>, text: impl Into<String>) -> Self {
        Self { content: ContentBlock::text(text), message_id: message_id.into() }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct PlanEntry {
    pub(crate) content: String,
    pub(crate) priority: &'static str,
    pub(crate) status: &'static str,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct AvailableCommand {
    pub(crate) name: String,
    pub(crate) description: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) input: Option<CommandHint>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct CommandHint {
    hint: String,
}

impl AvailableCommand {
    pub(crate) fn new(name: String, description: String, arguments: String) -> Self {
        let input = (!arguments.is_empty()).then_some(CommandHint { hint: arguments });
        Self { name, description, input }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct UsageCost {
    amount: f64,
    currency: &'static str,
}

impl UsageCost {
    pub(crate) fn in_dollars(amount: f64) -> Self {
        Self { amount, currency: "USD" }
    }
}

/// Why a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StopReason {
    EndTurn,
    MaxTokens,
    MaxTurnRequests,
    Refusal,
    Cancelled,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_turn_ends_by_the_protocols_words() {
        use StopReason::{Cancelled, EndTurn, MaxTokens, MaxTurnRequests, Refusal};
        let words = json!([EndTurn, MaxTokens, MaxTurnRequests, Refusal, Cancelled]);
        assert_eq!(words, json!(["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"]));
    }
}
