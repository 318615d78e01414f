//! What is asked of a model and what it streams back.

use crate::{Message, Reasoning, TokenType, ToolDefinition, ToolRequest};
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// One request. The messages only grow at their end within a run, so that the provider's prompt cache hits.
#[derive(Debug, Clone)]
pub struct ChatRequest {
    pub system: Arc<str>,
    pub messages: Vec<Arc<Message>>,
    pub tools: Arc<[ToolDefinition]>,
    /// The bytes of every image that a message speaks of, by their SHA-256 hex.
    pub images: Arc<BTreeMap<String, Bytes>>,
    pub options: ModelOptions,
}

/// How the model should answer; the provider's own default where `None`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ModelOptions {
    pub flex: bool,
    pub reasoning_effort: Option<String>,
    /// In tokens.
    pub max_completion_tokens: Option<u32>,
    /// JSON Schema that the final answer has to follow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
}

/// A request in the vendor's own bytes, ready to be sent.
#[derive(Debug, Clone)]
pub struct PreparedRequest {
    /// SHA-256 hex of the body.
    pub request_hash: String,
    /// Of the conversation, the system prompt among them.
    pub message_count: usize,
    pub body: Bytes,
}

/// One step of an answer. `ToolCall` comes whole, once its arguments are complete.
#[derive(Debug, Clone, PartialEq)]
pub enum StreamEvent {
    Token {
        token_type: TokenType,
        text: String,
    },
    ToolCall(ToolRequest),
    /// What has to be sent back with this turn; at most once, before the end.
    Reasoning(Reasoning),
    Metadata {
        finish_reason: Option<FinishReason>,
        usage: Option<Usage>,
    },
    End,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FinishReason {
    Stop,
    ToolCalls,
    /// The output limit was reached.
    Length,
    ContentFilter,
    Other,
}

/// Tokens and money. `prompt_tokens` includes the cached ones, `completion_tokens` those of the thoughts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Usage {
    pub prompt_tokens: u64,
    pub completion_tokens: u64,
    pub total_tokens: u64,
    /// Read from the provider's cache.
    pub cached_tokens: u64,
    /// Put into the provider's cache, where that has a price of its own.
    #[serde(skip_serializing_if = "is_zero")]
    pub cache_write_tokens: u64,
    #[serde(skip_serializing_if = "is_zero")]
    pub reasoning_tokens: u64,
    /// In US dollars; `None` where the price is not known.
    pub cost_usd: Option<f64>,
}

impl Usage {
    /// The sum of two requests. A cost is known only when both are.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            prompt_tokens: self.prompt_tokens + other.prompt_tokens,
            completion_tokens: self.completion_tokens + other.completion_tokens,
            total_tokens: self.total_tokens + other.total_tokens,
            cached_tokens: self.cached_tokens + other.cached_tokens,
            cache_write_tokens: self.cache_write_tokens + other.cache_write_tokens,
            reasoning_tokens: self.reasoning_tokens + other.reasoning_tokens,
            cost_usd: self.cost_usd.zip(other.cost_usd).map(|(a, b)| a + b),
        }
    }

    /// What to start a sum from: nothing used, at no cost.
    #[must_use]
    pub fn zero() -> Self {
        Self { cost_usd: Some(0.0), ..Self::default() }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_zero(tokens: &u64) -> bool {
    *tokens == 0
}
