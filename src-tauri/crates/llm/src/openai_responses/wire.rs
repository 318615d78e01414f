//! The JSON of Responses as it is read. Leniently: what servers get wrong in practice is accepted here.
//!
//! <https://platform.openai.com/docs/api-reference/responses-streaming>

use crate::figures::{self, TokenDetails};
use arki_domain::Usage;
use serde::Deserialize;
use serde_json::Value;

/// One event of a stream. Which fields are there depends on its type.
#[derive(Deserialize)]
pub(super) struct Event {
    #[serde(rename = "type")]
    pub(super) kind: Option<String>,
    pub(super) output_index: Option<u64>,
    pub(super) item_id: Option<String>,
    pub(super) content_index: Option<u64>,
    pub(super) summary_index: Option<u64>,
    pub(super) delta: Option<Value>,
    pub(super) text: Option<Value>,
    pub(super) refusal: Option<Value>,
    pub(super) arguments: Option<Value>,
    pub(super) item: Option<Item>,
    pub(super) response: Option<Response>,
    pub(super) error: Option<Value>,
}

/// One item of the output.
#[derive(Deserialize)]
pub(super) struct Item {
    #[serde(rename = "type")]
    pub(super) kind: Option<String>,
    pub(super) id: Option<String>,
    pub(super) status: Option<String>,
    /// The parts of a message or of thoughts, as a list.
    pub(super) content: Option<Value>,
    pub(super) phase: Option<String>,
    pub(super) call_id: Option<String>,
    pub(super) name: Option<String>,
    /// A string; an object from some servers.
    pub(super) arguments: Option<Value>,
    pub(super) summary: Option<Value>,
    pub(super) encrypted_content: Option<Value>,
}

/// A whole answer, or what is known of it so far.
#[derive(Deserialize)]
pub(super) struct Response {
    pub(super) object: Option<Value>,
    pub(super) status: Option<String>,
    pub(super) error: Option<Value>,
    pub(super) incomplete_details: Option<Value>,
    pub(super) output: Option<Vec<Item>>,
    #[serde(default, deserialize_with = "figures::group")]
    pub(super) usage: Option<WireUsage>,
    pub(super) service_tier: Option<Value>,
}

#[derive(Deserialize)]
pub(super) struct WireUsage {
    #[serde(default, deserialize_with = "figures::count")]
    input_tokens: Option<u64>,
    #[serde(default, deserialize_with = "figures::group")]
    input_tokens_details: Option<TokenDetails>,
    #[serde(default, deserialize_with = "figures::count")]
    output_tokens: Option<u64>,
    #[serde(default, deserialize_with = "figures::group")]
    output_tokens_details: Option<TokenDetails>,
    #[serde(default, deserialize_with = "figures::count")]
    total_tokens: Option<u64>,
}

impl WireUsage {
    /// `None` for the empty object that some servers send.
    pub(super) fn figures(&self) -> Option<Usage> {
        if self.input_tokens.is_none() && self.output_tokens.is_none() && self.total_tokens.is_none() {
            return None;
        }
        let input = self.input_tokens_details.unwrap_or_default();
        let output = self.output_tokens_details.unwrap_or_default();
        Some(Usage {
            cache_write_tokens: input.cache_write_tokens.unwrap_or(0),
            reasoning_tokens: output.reasoning_tokens.unwrap_or(0),
            ..Usage::told(self.input_tokens, self.output_tokens, self.total_tokens, input.cached_tokens)
        })
    }
}
