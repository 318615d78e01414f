//! The forms in which Arki tells things: how a connection and a session begin, their news, tool calls and the permissions
//! for them. Content is what prompts are made of, too.

use crate::rpc::RpcConnection;
use arki_domain::SessionId;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The answer to `initialize`, whatever version the client speaks: it decides whether it goes on.
pub(crate) fn initialized() -> Value {
    json!({
        "protocolVersion": 1,
        "agentCapabilities": {
            "loadSession": true,
            "promptCapabilities": {"image": true, "embeddedContext": true},
            "mcpCapabilities": {"http": true},
            "sessionCapabilities": {"list": {}, "resume": {}, "close": {}, "delete": {}},
        },
        "authMethods": [],
        "agentInfo": {"name": "arki", "title": "Arki", "version": env!("CARGO_PKG_VERSION")},
    })
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct SessionMode {
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
}

/// A choice of one value.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename = "select", rename_all = "camelCase")]
pub(crate) struct SessionConfigOption {
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
    pub(crate) category: &'static str,
    pub(crate) current_value: String,
    pub(crate) options: Vec<ValueOption>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct ValueOption {
    pub(crate) value: String,
    pub(crate) name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub(crate) enum ContentBlock {
    Text { text: String },
    Image { data: String, mime_type: String },
    Audio {},
    ResourceLink { name: String, uri: String },
    Resource { resource: EmbeddedResource },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub(crate) enum EmbeddedResource {
    Text { uri: String, text: String },
    Blob { uri: String, blob: String, mime_type: Option<String> },
}

impl ContentBlock {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }
}

/// Tells the client a session's news.
pub(crate) async fn tell_update(connection: &RpcConnection, session: &SessionId, update: &SessionUpdate) {
    let params = json!({"sessionId": session, "update": update});
    connection.notify("session/update", &params).await;
}

/// A moment as the protocol writes it. `at`: milliseconds since 1970.
pub(crate) fn timestamp(at: i64) -> Option<String> {
    jiff::Timestamp::from_millisecond(at).ok().map(|at| at.to_string())
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ToolKind {
    Read,
    Edit,
    Delete,
    Search,
    Execute,
    Think,
    Fetch,
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ToolCallStatus {
    Pending,
    InProgress,
    Completed,
    Failed,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub(crate) enum ToolCallContent {
    Content {
        content: ContentBlock,
    },
    /// A part of a file before and after.
    Diff {
        path: String,
        old_text: Option<String>,
        new_text: String,
    },
    Terminal {
        terminal_id: String,
    },
}

impl ToolCallContent {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Content { content: ContentBlock::text(text) }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct ToolCallLocation {
    /// Absolute.
    pub(crate) path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<u32>,
}

/// A tool call as it begins, or what changed of it: what is `None` stays.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ToolCallUpdate {
    pub(crate) tool_call_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) title: Option<String>,
    /// The tool's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) kind: Option<ToolKind>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<ToolCallStatus>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) content: Option<Vec<ToolCallContent>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) locations: Option<Vec<ToolCallLocation>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) raw_input: Option<Value>,
    /// The output of a terminal, for clients that show it.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub(crate) meta: Option<Value>,
}

impl ToolCallUpdate {
    pub(crate) fn of(tool_call_id: impl Into<String>) -> Self {
        Self { tool_call_id: tool_call_id.into(), ..Self::default() }
    }

    /// Returns whether it says anything.
    pub(crate) fn is_news(&self) -> bool {
        *self != Self::of(self.tool_call_id.clone())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PermissionKind {
    AllowOnce,
    AllowAlways,
    RejectOnce,
    RejectAlways,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PermissionOption {
    pub(crate) option_id: &'static str,
    pub(crate) name: String,
    pub(crate) kind: PermissionKind,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RequestPermission<'a> {
    pub(crate) session_id: &'a str,
    pub(crate) tool_call: ToolCallUpdate,
    pub(crate) options: &'a [PermissionOption],
}

#[derive(Debug, Deserialize)]
pub(crate) struct PermissionAnswer {
    outcome: PermissionOutcome,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case", rename_all_fields = "camelCase")]
enum PermissionOutcome {
    Cancelled,
    Selected { option_id: String },
}

impl PermissionAnswer {
    /// The option that was chosen.
    pub(crate) fn chosen(&self) -> Option<&str> {
        match &self.outcome {
            PermissionOutcome::Cancelled => None,
            PermissionOutcome::Selected { option_id } => Some(option_id),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_ends_by_the_protocols_words() {
        use StopReason::{Cancelled, EndTurn, MaxTokens, MaxTurnRequests, Refusal};
        let words = json!([EndTurn, MaxTokens, MaxTurnRequests, Refusal, Cancelled]);
        assert_eq!(words, json!(["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"]));
    }
}
