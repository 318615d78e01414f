//! The JSON of Chat Completions. Reading is lenient: what servers get wrong in practice is accepted here.
//!
//! <https://platform.openai.com/docs/api-reference/chat>

use crate::figures::{self, TokenDetails};
use crate::request_parts::FunctionTool;
use arki_domain::Usage;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A request without its messages.
#[derive(Serialize)]
pub(super) struct Head<'a> {
    pub(super) model: &'a str,
    pub(super) stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stream_options: Option<StreamOptions>,
    /// Makes Anthropic's cache take in each request up to its end, wherever that is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cache_control: Option<CacheControl>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reasoning: Option<Reasoning<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reasoning_effort: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) thinking: Option<Thinking>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) max_completion_tokens: Option<u32>,
    /// The older name, which is the only one that many servers know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) service_tier: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) response_format: Option<ResponseFormat<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tools: Vec<FunctionTool<'a>>,
}

#[derive(Serialize)]
pub(super) struct StreamOptions {
    pub(super) include_usage: bool,
}

#[derive(Serialize)]
pub(super) struct CacheControl {
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
}

/// OpenRouter's.
#[derive(Serialize)]
pub(super) struct Reasoning<'a> {
    pub(super) effort: &'a str,
}

/// DeepSeek's.
#[derive(Serialize)]
pub(super) struct Thinking {
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum ResponseFormat<'a> {
    JsonObject,
    JsonSchema { json_schema: JsonSchema<'a> },
}

#[derive(Serialize)]
pub(super) struct JsonSchema<'a> {
    pub(super) name: &'static str,
    pub(super) schema: &'a Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) strict: Option<bool>,
}

/// One chunk of a stream, or a whole answer: there `delta` is called `message`.
#[derive(Deserialize)]
pub(super) struct Chunk {
    pub(super) choices: Option<Vec<Choice>>,
    #[serde(default, deserialize_with = "figures::group")]
    pub(super) usage: Option<WireUsage>,
    pub(super) error: Option<Value>,
    pub(super) object: Option<Value>,
    pub(super) service_tier: Option<Value>,
}

#[derive(Deserialize)]
pub(super) struct Choice {
    pub(super) index: Option<u64>,
    #[serde(alias = "message")]
    pub(super) delta: Option<Delta>,
    pub(super) finish_reason: Option<String>,
    pub(super) error: Option<Value>,
    /// Moonshot's place for the figures.
    #[serde(default, deserialize_with = "figures::group")]
    pub(super) usage: Option<WireUsage>,
}

#[derive(Deserialize)]
pub(super) struct Delta {
    /// A string, or a list of parts.
    pub(super) content: Option<Value>,
    pub(super) reasoning_content: Option<Value>,
    pub(super) reasoning: Option<Value>,
    /// OpenRouter's: a list of objects.
    pub(super) reasoning_details: Option<Value>,
    pub(super) refusal: Option<String>,
    pub(super) tool_calls: Option<Vec<ToolCallDelta>>,
}

#[derive(Deserialize)]
pub(super) struct ToolCallDelta {
    pub(super) index: Option<u64>,
    pub(super) id: Option<String>,
    pub(super) function: Option<FunctionDelta>,
    /// The data that a vendor wants back with the call, such as the signature of Google's thoughts.
    pub(super) extra_content: Option<Value>,
}

#[derive(Deserialize)]
pub(super) struct FunctionDelta {
    pub(super) name: Option<String>,
    /// A string; an object from some servers.
    pub(super) arguments: Option<Value>,
}

#[derive(Deserialize)]
pub(super) struct WireUsage {
    #[serde(default, deserialize_with = "figures::count")]
    prompt_tokens: Option<u64>,
    #[serde(default, deserialize_with = "figures::count")]
    completion_tokens: Option<u64>,
    #[serde(default, deserialize_with = "figures::count")]
    total_tokens: Option<u64>,
    #[serde(default, deserialize_with = "figures::group")]
    prompt_tokens_details: Option<TokenDetails>,
    #[serde(default, deserialize_with = "figures::group")]
    completion_tokens_details: Option<TokenDetails>,
    /// DeepSeek's name for the cached ones.
    #[serde(default, deserialize_with = "figures::count")]
    prompt_cache_hit_tokens: Option<u64>,
    /// Moonshot's.
    #[serde(default, deserialize_with = "figures::count")]
    cached_tokens: Option<u64>,
    /// A number, in US dollars, where it is OpenRouter's.
    cost: Option<Value>,
    is_byok: Option<Value>,
    cost_details: Option<Value>,
}

impl WireUsage {
    /// Returns the counts without the cost. `None` for the empty object that some servers send.
    pub(super) fn figures(&self) -> Option<Usage> {
        if self.prompt_tokens.is_none() && self.completion_tokens.is_none() && self.total_tokens.is_none() {
            return None;
        }
        let prompt = self.prompt_tokens_details.unwrap_or_default();
        let cached_tokens = prompt.cached_tokens.or(self.prompt_cache_hit_tokens).or(self.cached_tokens);
        let reasoning_tokens = self.completion_tokens_details.unwrap_or_default().reasoning_tokens.unwrap_or(0);
        // xAI counts them beside the answer's, others among these: the sum tells.
        let both = self.completion_tokens.and_then(|answer| answer.checked_add(reasoning_tokens));
        let is_beside = self.total_tokens.is_some()
            && self.total_tokens == both.zip(self.prompt_tokens).and_then(|(both, prompt)| both.checked_add(prompt));
        let completion_tokens = if is_beside { both } else { self.completion_tokens };
        Some(Usage {
            cache_write_tokens: prompt.cache_write_tokens.unwrap_or(0),
            reasoning_tokens,
            ..Usage::told(self.prompt_tokens, completion_tokens, self.total_tokens, cached_tokens)
        })
    }

    /// Returns the cost that OpenRouter charges. With a key of the user's own at the vendor (`is_byok`) that is the fee
    /// alone, and what the vendor charges comes on top.
    pub(super) fn charged(&self) -> Option<f64> {
        let charged = self.cost.as_ref().and_then(figures::amount)?;
        let upstream =
            self.cost_details.as_ref().and_then(|details| figures::amount(details.get("upstream_inference_cost")?));
        Some(charged + upstream.filter(|_| self.is_byok == Some(Value::Bool(true))).unwrap_or(0.0))
    }
}
