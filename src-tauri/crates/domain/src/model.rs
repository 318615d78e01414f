//! The request to a model and the events that it streams back.

use crate::left_out::is_default;
use crate::{Message, Reasoning, ToolDefinition, ToolRequest};
use bytes::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use ts_rs::TS;

/// The kind of text that a streamed piece belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum TokenType {
    LlmThinking,
    LlmResponse,
    AgentThoughtLlmResponse,
    FinalSynthesisLlmResponse,
}

/// One request. The messages only grow at their end within a run, so that the provider's prompt cache hits.
#[derive(Debug, Clone)]
pub struct ChatRequest {
    pub system: Arc<str>,
    /// Shared with whoever goes on with the conversation, so that a long one is not copied for each turn.
    pub messages: Arc<Vec<Arc<Message>>>,
    pub tools: Arc<[ToolDefinition]>,
    /// The bytes of every image that a message speaks of, by their SHA-256 hex.
    pub images: Arc<BTreeMap<String, Bytes>>,
    pub options: ModelOptions,
}

/// The options of an answer; `None` stands for the provider's default.
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
    /// The number of messages, the system prompt included.
    pub message_count: usize,
    /// The bytes of the body before its first message; 0 where the form has no such part.
    pub head_bytes: usize,
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
    /// A piece of a call that isn't whole yet: only that more of it came. At most a few a second.
    CallGrows,
    /// Data to send back with this turn; at most once, before the end.
    Reasoning(Reasoning),
    Metadata {
        finish_reason: Option<FinishReason>,
        usage: Option<Usage>,
    },
    End,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
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
#[serde(from = "WrittenUsage", into = "WrittenUsage")]
pub struct Usage {
    pub prompt_tokens: u64,
    pub completion_tokens: u64,
    pub total_tokens: u64,
    /// Read from the provider's cache.
    pub cached_tokens: u64,
    /// Put into the provider's cache, where that has a price of its own.
    pub cache_write_tokens: u64,
    pub reasoning_tokens: u64,
    /// In US dollars; `None` where the price is not known.
    pub cost_usd: Option<f64>,
    /// The figures that nobody told, or not of every request: they are only what is known.
    pub unknown: UnknownTokens,
}

/// The figures that are not known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct UnknownTokens {
    pub prompt: bool,
    pub completion: bool,
    pub total: bool,
    pub cached: bool,
}

impl UnknownTokens {
    pub const ALL: Self = Self { prompt: true, completion: true, total: true, cached: true };

    /// Returns whether any of what is used is unknown; what of it came from a cache is another matter.
    #[must_use]
    pub fn any_used(self) -> bool {
        self.prompt || self.completion || self.total
    }

    /// Unknown in either.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            prompt: self.prompt || other.prompt,
            completion: self.completion || other.completion,
            total: self.total || other.total,
            cached: self.cached || other.cached,
        }
    }
}

/// The written form: unknown figures are null, not zero.
#[derive(Default, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[ts(rename = "Usage")]
#[schemars(rename = "Usage")]
struct WrittenUsage {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
    total_tokens: Option<u64>,
    cached_tokens: Option<u64>,
    #[serde(default, skip_serializing_if = "is_default")]
    cache_write_tokens: u64,
    #[serde(default, skip_serializing_if = "is_default")]
    reasoning_tokens: u64,
    cost_usd: Option<f64>,
}

written_as!(Usage, WrittenUsage);

impl From<WrittenUsage> for Usage {
    fn from(written: WrittenUsage) -> Self {
        let WrittenUsage { prompt_tokens, completion_tokens, total_tokens, cached_tokens, .. } = written;
        Self {
            prompt_tokens: prompt_tokens.unwrap_or(0),
            completion_tokens: completion_tokens.unwrap_or(0),
            total_tokens: total_tokens.unwrap_or(0),
            cached_tokens: cached_tokens.unwrap_or(0),
            cache_write_tokens: written.cache_write_tokens,
            reasoning_tokens: written.reasoning_tokens,
            cost_usd: written.cost_usd,
            unknown: UnknownTokens {
                prompt: prompt_tokens.is_none(),
                completion: completion_tokens.is_none(),
                total: total_tokens.is_none(),
                cached: cached_tokens.is_none(),
            },
        }
    }
}

impl From<Usage> for WrittenUsage {
    fn from(usage: Usage) -> Self {
        let unknown = usage.unknown;
        Self {
            prompt_tokens: (!unknown.prompt).then_some(usage.prompt_tokens),
            completion_tokens: (!unknown.completion).then_some(usage.completion_tokens),
            total_tokens: (!unknown.total).then_some(usage.total_tokens),
            cached_tokens: (!unknown.cached).then_some(usage.cached_tokens),
            cache_write_tokens: usage.cache_write_tokens,
            reasoning_tokens: usage.reasoning_tokens,
            cost_usd: usage.cost_usd,
        }
    }
}

impl Usage {
    /// Builds the usage that a provider reported, in whole or in part: the sum of both is known where both are.
    #[must_use]
    pub fn told(prompt: Option<u64>, completion: Option<u64>, total: Option<u64>, cached: Option<u64>) -> Self {
        let total = total.or_else(|| Some(prompt?.saturating_add(completion?)));
        let written = WrittenUsage {
            prompt_tokens: prompt,
            completion_tokens: completion,
            total_tokens: total,
            cached_tokens: cached,
            ..WrittenUsage::default()
        };
        Self::from(written)
    }

    /// The sum of two requests. Cost and tokens are known only when both are.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            prompt_tokens: self.prompt_tokens.saturating_add(other.prompt_tokens),
            completion_tokens: self.completion_tokens.saturating_add(other.completion_tokens),
            total_tokens: self.total_tokens.saturating_add(other.total_tokens),
            cached_tokens: self.cached_tokens.saturating_add(other.cached_tokens),
            cache_write_tokens: self.cache_write_tokens.saturating_add(other.cache_write_tokens),
            reasoning_tokens: self.reasoning_tokens.saturating_add(other.reasoning_tokens),
            cost_usd: self.cost_usd.zip(other.cost_usd).map(|(a, b)| a + b),
            unknown: self.unknown.or(other.unknown),
        }
    }

    /// Returns the start of a sum: nothing used, at no cost.
    #[must_use]
    pub fn zero() -> Self {
        Self { cost_usd: Some(0.0), ..Self::default() }
    }

    /// The usage of a request for which the provider reported no counts.
    #[must_use]
    pub fn unknown() -> Self {
        Self { unknown: UnknownTokens::ALL, ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_nobody_told_is_null_and_not_zero() {
        let unknown = json!({"promptTokens": null, "completionTokens": null, "totalTokens": null, "cachedTokens": null, "costUsd": null});
        assert_eq!(serde_json::to_value(Usage::unknown()).unwrap(), unknown);
        for written in [unknown, json!({})] {
            assert_eq!(serde_json::from_value::<Usage>(written).unwrap(), Usage::unknown());
        }
        let known = Usage { prompt_tokens: 7, total_tokens: 7, cost_usd: Some(0.5), ..Usage::default() };
        let written =
            json!({"promptTokens": 7, "completionTokens": 0, "totalTokens": 7, "cachedTokens": 0, "costUsd": 0.5});
        assert_eq!(serde_json::to_value(known).unwrap(), written);
        assert_eq!(serde_json::from_value::<Usage>(written).unwrap(), known);
        let sum = known.plus(Usage::unknown());
        assert!(sum.unknown == UnknownTokens::ALL && sum.prompt_tokens == 7 && sum.cost_usd.is_none());
    }

    #[test]
    fn of_what_is_told_in_part_only_the_rest_is_null() {
        for (told, written) in [
            ((Some(7), None, None, None), json!([7, null, null, null])),
            ((Some(7), Some(2), None, None), json!([7, 2, 9, null])),
            ((None, Some(2), None, Some(0)), json!([null, 2, null, 0])),
            ((None, None, Some(9), None), json!([null, null, 9, null])),
            ((Some(7), Some(2), Some(11), Some(3)), json!([7, 2, 11, 3])),
        ] {
            let usage = Usage::told(told.0, told.1, told.2, told.3);
            let json = serde_json::to_value(usage).unwrap();
            let figures: Vec<_> =
                ["promptTokens", "completionTokens", "totalTokens", "cachedTokens"].map(|name| &json[name]).into();
            assert_eq!(json!(figures), written);
            assert_eq!(serde_json::from_value::<Usage>(json).unwrap(), usage);
        }
        let part = Usage::told(Some(7), None, None, None).plus(Usage::told(Some(1), Some(2), None, Some(0)));
        assert_eq!(
            serde_json::to_value(part).unwrap(),
            json!({"promptTokens": 8, "completionTokens": null, "totalTokens": null, "cachedTokens": null, "costUsd": null})
        );
    }
}
