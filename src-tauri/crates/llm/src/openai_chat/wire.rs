//! The JSON of Chat Completions. Reading is lenient: what servers get wrong in practice is accepted here.
//!
//! <https://platform.openai.com/docs/api-reference/chat>

use arki_domain::{ToolDefinition, Usage};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// A request without its messages.
#[derive(Serialize)]
pub(super) struct Head<'a> {
    pub(super) model: &'a str,
    pub(super) stream: bool,
    pub(super) stream_options: StreamOptions,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reasoning_effort: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) max_completion_tokens: Option<u32>,
    /// The older name, which is the only one that many servers know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) service_tier: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tools: Vec<Tool<'a>>,
}

#[derive(Serialize)]
pub(super) struct StreamOptions {
    pub(super) include_usage: bool,
}

#[derive(Serialize)]
pub(super) struct Tool<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    function: ToolFunction<'a>,
}

#[derive(Serialize)]
struct ToolFunction<'a> {
    name: &'a str,
    description: &'a str,
    parameters: &'a Value,
}

impl<'a> From<&'a ToolDefinition> for Tool<'a> {
    fn from(tool: &'a ToolDefinition) -> Self {
        let function = ToolFunction { name: tool.name, description: &tool.description, parameters: &tool.parameters };
        Self { kind: "function", function }
    }
}

#[derive(Serialize)]
#[serde(tag = "role", rename_all = "lowercase")]
pub(super) enum Message<'a> {
    System {
        content: &'a str,
    },
    User {
        content: &'a str,
    },
    Assistant {
        content: Option<&'a str>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<ToolCall<'a>>,
    },
    Tool {
        tool_call_id: &'a str,
        content: &'a str,
    },
}

#[derive(Serialize)]
pub(super) struct ToolCall<'a> {
    id: &'a str,
    #[serde(rename = "type")]
    kind: &'static str,
    function: CalledFunction<'a>,
}

#[derive(Serialize)]
struct CalledFunction<'a> {
    name: &'a str,
    arguments: Cow<'a, str>,
}

impl<'a> Message<'a> {
    pub(super) fn system(content: &'a str) -> Self {
        Self::System { content }
    }
}

impl<'a> From<&'a arki_domain::Message> for Message<'a> {
    fn from(message: &'a arki_domain::Message) -> Self {
        use arki_domain::Message as Domain;
        match message {
            Domain::System { content } => Self::System { content },
            Domain::User { content } => Self::User { content },
            Domain::Assistant { content, .. } => Self::Assistant { content: Some(content), tool_calls: Vec::new() },
            Domain::ToolRequest { content, calls, .. } => Self::Assistant {
                content: (!content.is_empty()).then_some(content.as_str()),
                tool_calls: calls.iter().map(ToolCall::from).collect(),
            },
            Domain::ToolResult { call_id, content, .. } => Self::Tool { tool_call_id: call_id.as_str(), content },
        }
    }
}

impl<'a> From<&'a arki_domain::ToolRequest> for ToolCall<'a> {
    fn from(call: &'a arki_domain::ToolRequest) -> Self {
        let function = CalledFunction { name: &call.tool_id, arguments: acceptable_arguments(&call.arguments) };
        Self { id: call.call_id.as_str(), kind: "function", function }
    }
}

/// Servers parse the arguments they are sent back, and some answer 400 for ever after to what is not an object.
fn acceptable_arguments(arguments: &str) -> Cow<'_, str> {
    if arguments.trim().is_empty() {
        return Cow::Borrowed("{}");
    }
    match serde_json::from_str::<&RawValue>(arguments) {
        Ok(value) if value.get().starts_with('{') => Cow::Borrowed(arguments),
        _ => Cow::Owned(serde_json::json!({ "invalid_arguments": arguments }).to_string()),
    }
}

/// One chunk of a stream, or a whole answer: there `delta` is called `message`.
#[derive(Deserialize)]
pub(super) struct Chunk {
    pub(super) choices: Option<Vec<Choice>>,
    pub(super) usage: Option<WireUsage>,
    pub(super) error: Option<Value>,
    pub(super) object: Option<Value>,
}

#[derive(Deserialize)]
pub(super) struct Choice {
    pub(super) index: Option<u64>,
    #[serde(alias = "message")]
    pub(super) delta: Option<Delta>,
    pub(super) finish_reason: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Delta {
    /// A string, or a list of parts.
    pub(super) content: Option<Value>,
    pub(super) reasoning_content: Option<Value>,
    pub(super) reasoning: Option<Value>,
    pub(super) refusal: Option<String>,
    pub(super) tool_calls: Option<Vec<ToolCallDelta>>,
}

#[derive(Deserialize)]
pub(super) struct ToolCallDelta {
    pub(super) index: Option<u64>,
    pub(super) id: Option<String>,
    pub(super) function: Option<FunctionDelta>,
}

#[derive(Deserialize)]
pub(super) struct FunctionDelta {
    pub(super) name: Option<String>,
    /// A string; an object from some servers.
    pub(super) arguments: Option<Value>,
}

#[derive(Deserialize)]
pub(super) struct WireUsage {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
    total_tokens: Option<u64>,
    prompt_tokens_details: Option<PromptDetails>,
}

#[derive(Deserialize)]
struct PromptDetails {
    cached_tokens: Option<u64>,
}

impl WireUsage {
    /// `None` for the empty object that some servers send.
    pub(super) fn figures(&self, cost_usd: Option<f64>) -> Option<Usage> {
        if self.prompt_tokens.is_none() && self.completion_tokens.is_none() && self.total_tokens.is_none() {
            return None;
        }
        let prompt_tokens = self.prompt_tokens.unwrap_or(0);
        let completion_tokens = self.completion_tokens.unwrap_or(0);
        let cached_tokens = self.prompt_tokens_details.as_ref().and_then(|details| details.cached_tokens);
        Some(Usage {
            prompt_tokens,
            completion_tokens,
            total_tokens: self.total_tokens.unwrap_or(prompt_tokens + completion_tokens),
            cached_tokens: cached_tokens.unwrap_or(0),
            cost_usd,
        })
    }
}
