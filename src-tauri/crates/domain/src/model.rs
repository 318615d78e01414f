//! What is asked of a model and what it streams back.

use crate::{Message, TokenType, ToolDefinition, ToolRequest};
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// One request. The messages only grow at their end within a run, so that the provider's prompt cache hits.
#[derive(Debug, Clone)]
pub struct ChatRequest {
    pub system: Arc<str>,
    pub messages: Vec<Arc<Message>>,
    pub tools: Arc<[ToolDefinition]>,
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
}

/// A request in the vendor's own bytes, ready to be sent.
#[derive(Debug, Clone)]
pub struct PreparedRequest {
    /// SHA-256 hex of the body.
    pub request_hash: String,
    pub message_count: usize,
    pub body: Bytes,
}

/// One step of an answer. `ToolCall` comes whole, once its arguments are complete.
#[derive(Debug, Clone, PartialEq)]
pub enum StreamEvent {
    Token { token_type: TokenType, text: String },
    ToolCall(ToolRequest),
    Metadata { finish_reason: Option<FinishReason>, usage: Option<Usage> },
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

/// Tokens and money. `prompt_tokens` includes the cached ones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Usage {
    pub prompt_tokens: u64,
    pub completion_tokens: u64,
    pub total_tokens: u64,
    pub cached_tokens: u64,
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
            cost_usd: self.cost_usd.zip(other.cost_usd).map(|(a, b)| a + b),
        }
    }

    /// What to start a sum from: nothing used, at no cost.
    #[must_use]
    pub fn zero() -> Self {
        Self { cost_usd: Some(0.0), ..Self::default() }
    }
}
