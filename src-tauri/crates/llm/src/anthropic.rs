//! Anthropic's Messages, and the servers that speak the same.
//!
//! Turns alternate: what the user, the tools and the system say one after another is one entry, what the model says
//! another. Signed thoughts go back as they came, in the place where they stood.

mod capabilities;
mod entry;
mod layout;
mod request;
mod response;
mod schema;
#[cfg(test)]
mod stream_tests;
mod wire;

use crate::answer_decoder::AnswerDecoder;
use crate::request_parts::{Images, open_list, to_json};
use crate::wire_format::{Headers, WireFormat, key_header};
use crate::{ProviderSettings, Secret, catalogue};
use arki_domain::{ChatRequest, Error, Message};
use capabilities::Capabilities;
use reqwest::header::{HeaderName, HeaderValue};
use response::MessagesDecoder;
use serde_json::Value;
use std::sync::Arc;

const API_VERSION: HeaderValue = HeaderValue::from_static("2023-06-01");

/// Lets a request say what becomes of thoughts whose conversation has changed: without it, a compacted conversation, or
/// one that goes on under another system prompt, is refused for ever after.
const BINDING_CONTROLS: HeaderValue = HeaderValue::from_static("thinking-binding-controls-2026-08-01");

/// The API wants a limit. Every model since Claude 3.5 takes this one.
const DEFAULT_MAX_TOKENS: u32 = 8_192;

/// <https://platform.claude.com/docs/en/api/messages>
pub(crate) struct Anthropic {
    model: String,
    capabilities: Capabilities,
    /// The most tokens that the model may write, where known.
    output_limit: Option<u32>,
}

impl Anthropic {
    pub(crate) fn new(settings: &ProviderSettings, model: &str) -> Self {
        let output_limit = catalogue::model_info(settings, model).output_limit;
        Self {
            model: model.to_owned(),
            capabilities: Capabilities::of(model),
            output_limit: output_limit.map(|limit| u32::try_from(limit).unwrap_or(u32::MAX)),
        }
    }
}

impl WireFormat for Anthropic {
    fn path(&self) -> String {
        "/v1/messages".to_owned()
    }

    fn headers(&self, key: Option<&Secret>) -> Headers {
        let mut headers = key_headers(key)?;
        if self.capabilities.thinking.is_bound() {
            headers.push((HeaderName::from_static("anthropic-beta"), BINDING_CONTROLS));
        }
        Ok(headers)
    }

    fn head(&self, request: &ChatRequest) -> Result<Vec<u8>, Error> {
        open_list(&request::head(self, request), "messages")
    }

    fn required_options(&self) -> &'static [&'static str] {
        &["max_tokens"]
    }

    fn narrowed(&self, schema: Value) -> Option<Value> {
        schema::with_plain_names(schema)
    }

    fn joins(&self, message: &Message, next: &Message) -> bool {
        entry::role(message) == entry::role(next)
    }

    fn write(&self, group: &[Arc<Message>], images: &Images, out: &mut Vec<u8>) -> Result<(), Error> {
        if let Some(entry) = entry::of(group, &self.model, images) {
            out.extend_from_slice(&to_json(&entry)?);
        }
        Ok(())
    }

    fn decoder(&self) -> Box<dyn AnswerDecoder> {
        Box::new(MessagesDecoder::new(&self.model))
    }
}

/// The API's version, and the key.
pub(crate) fn key_headers(key: Option<&Secret>) -> Headers {
    let mut headers = vec![(HeaderName::from_static("anthropic-version"), API_VERSION)];
    headers.extend(key_header("x-api-key", key)?);
    Ok(headers)
}
