//! The JSON of the Messages API. Reading is lenient: other vendors' servers speak it too.
//!
//! <https://platform.claude.com/docs/en/api/messages>, <https://platform.claude.com/docs/en/build-with-claude/streaming>

use crate::figures::{self, TokenDetails};
use arki_domain::{ToolDefinition, Usage};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// A request without its messages.
#[derive(Serialize)]
pub(super) struct Head<'a> {
    pub(super) model: &'a str,
    pub(super) max_tokens: u32,
    pub(super) stream: bool,
    pub(super) cache_control: CacheControl,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) thinking: Option<Thinking>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) output_config: Option<OutputConfig<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) system: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tools: Vec<Tool<'a>>,
}

/// A cache mark. At the top level it covers all of the request up to its last block.
#[derive(Serialize)]
pub(super) struct CacheControl {
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Thinking {
    Adaptive {
        display: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        block_binding: Option<BlockBinding>,
    },
    Enabled {
        budget_tokens: u32,
    },
}

#[derive(Serialize)]
pub(super) struct BlockBinding {
    prefix_mismatch_behavior: &'static str,
}

impl Thinking {
    /// The newer models keep their thoughts to themselves unless a summary is asked for.
    pub(super) fn adaptive(bound: bool) -> Self {
        let block_binding = bound.then_some(BlockBinding { prefix_mismatch_behavior: "drop_block" });
        Self::Adaptive { display: "summarized", block_binding }
    }
}

#[derive(PartialEq, Default, Serialize)]
pub(super) struct OutputConfig<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) effort: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) format: Option<OutputFormat>,
}

#[derive(PartialEq, Serialize)]
pub(super) struct OutputFormat {
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
    pub(super) schema: Value,
}

#[derive(Serialize)]
pub(super) struct Tool<'a> {
    name: &'a str,
    description: &'a str,
    input_schema: &'a Value,
}

impl<'a> From<&'a ToolDefinition> for Tool<'a> {
    fn from(tool: &'a ToolDefinition) -> Self {
        Self { name: &tool.name, description: &tool.description, input_schema: &tool.parameters }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Role {
    User,
    Assistant,
}

#[derive(Serialize)]
pub(super) struct Entry<'a> {
    pub(super) role: Role,
    pub(super) content: Vec<Block<'a>>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Block<'a> {
    Text {
        text: &'a str,
    },
    Image {
        source: ImageSource<'a>,
    },
    Thinking {
        thinking: Cow<'a, str>,
        signature: Cow<'a, str>,
    },
    RedactedThinking {
        data: Cow<'a, str>,
    },
    ToolUse {
        id: Cow<'a, str>,
        name: Cow<'a, str>,
        input: Box<RawValue>,
    },
    ToolResult {
        tool_use_id: Cow<'a, str>,
        #[serde(skip_serializing_if = "str::is_empty")]
        content: &'a str,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
    },
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum ImageSource<'a> {
    Base64 { media_type: &'a str, data: String },
}

/// One event of a stream, or a whole answer.
#[derive(Deserialize)]
pub(super) struct Event {
    #[serde(rename = "type")]
    pub(super) kind: Option<String>,
    pub(super) index: Option<u64>,
    pub(super) content_block: Option<ContentBlock>,
    pub(super) delta: Option<Delta>,
    #[serde(default, deserialize_with = "figures::group")]
    pub(super) usage: Option<WireUsage>,
    /// A message in `message_start`; words in the errors of some servers.
    pub(super) message: Option<Value>,
    pub(super) error: Option<Value>,
    /// The content of an answer that came whole, not in pieces.
    pub(super) content: Option<Vec<ContentBlock>>,
    pub(super) stop_reason: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct ContentBlock {
    #[serde(rename = "type")]
    pub(super) kind: Option<String>,
    pub(super) text: Option<String>,
    pub(super) thinking: Option<String>,
    pub(super) signature: Option<String>,
    pub(super) data: Option<String>,
    pub(super) id: Option<String>,
    pub(super) name: Option<String>,
    pub(super) input: Option<Value>,
}

/// The types differ in their fields, so that these tell enough.
#[derive(Deserialize)]
pub(super) struct Delta {
    pub(super) text: Option<String>,
    pub(super) thinking: Option<String>,
    pub(super) signature: Option<String>,
    pub(super) partial_json: Option<String>,
    pub(super) stop_reason: Option<String>,
}

#[derive(Deserialize, Clone, Copy, Default)]
pub(super) struct WireUsage {
    /// The input tokens, without those that the cache read or wrote.
    #[serde(default, deserialize_with = "figures::count")]
    input_tokens: Option<u64>,
    #[serde(default, deserialize_with = "figures::count")]
    output_tokens: Option<u64>,
    #[serde(default, deserialize_with = "figures::count")]
    cache_creation_input_tokens: Option<u64>,
    #[serde(default, deserialize_with = "figures::count")]
    cache_read_input_tokens: Option<u64>,
    #[serde(default, deserialize_with = "figures::group")]
    output_tokens_details: Option<TokenDetails>,
}

impl WireUsage {
    /// Reads the usage of the message that `message_start` carries.
    pub(super) fn of_started(message: Option<&Value>) -> Option<Self> {
        Self::deserialize(message?.get("usage")?).ok()
    }

    /// The figures of an answer only grow; some servers say them at its beginning, some at its end, most at both.
    pub(super) fn merged(self, later: Self) -> Self {
        Self {
            input_tokens: self.input_tokens.max(later.input_tokens),
            output_tokens: self.output_tokens.max(later.output_tokens),
            cache_creation_input_tokens: self.cache_creation_input_tokens.max(later.cache_creation_input_tokens),
            cache_read_input_tokens: self.cache_read_input_tokens.max(later.cache_read_input_tokens),
            output_tokens_details: later.output_tokens_details.or(self.output_tokens_details),
        }
    }

    pub(super) fn figures(self) -> Option<Usage> {
        if self.input_tokens.is_none() && self.output_tokens.is_none() {
            return None;
        }
        let cache_write_tokens = self.cache_creation_input_tokens.unwrap_or(0);
        let of_cache = self.cache_read_input_tokens.unwrap_or(0).saturating_add(cache_write_tokens);
        let prompt_tokens = self.input_tokens.map(|tokens| tokens.saturating_add(of_cache));
        Some(Usage {
            cache_write_tokens,
            reasoning_tokens: self.output_tokens_details.unwrap_or_default().thinking_tokens.unwrap_or(0),
            ..Usage::told(prompt_tokens, self.output_tokens, None, self.cache_read_input_tokens)
        })
    }
}
