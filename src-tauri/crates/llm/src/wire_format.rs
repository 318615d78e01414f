//! The wire format of one vendor. Everything else (connections, keys, queues, time-outs, framing, growing requests) is
//! common to all of them.

use crate::answer_decoder::AnswerDecoder;
use crate::request_parts::Images;
use crate::sse::Framing;
use crate::{ModelInfo, Secret};
use arki_domain::{ChatRequest, Error, Message};
use reqwest::header::{AUTHORIZATION, HeaderName, HeaderValue, InvalidHeaderValue};
use serde_json::Value;
use std::sync::Arc;

/// One API, for one model. Pure: the same request gives the same bytes.
pub(crate) trait WireFormat: Send + Sync {
    /// Takes what the server itself has said of the model, before the first request is written.
    fn learn(&self, _model: &ModelInfo) {}

    /// Returns what stands after the base URL, beginning with a slash.
    fn path(&self) -> String;

    /// The headers that only this API wants, the key's among them. Their values are marked as sensitive by the caller.
    fn headers(&self, key: Option<&Secret>) -> Headers {
        bearer(key)
    }

    /// The request up to its first message: a JSON object that ends with the opening bracket of the list of messages.
    /// Everything that is the same throughout a run stands here, so that the vendor's prompt cache hits.
    fn head(&self, request: &ChatRequest) -> Result<Vec<u8>, Error>;

    /// The options of the head that the API can't do without, besides those that no API can.
    fn required_options(&self) -> &'static [&'static str] {
        &[]
    }

    /// A tool's schema without what this API alone refuses; `None` where nothing usable is left.
    fn narrowed(&self, schema: Value) -> Option<Value> {
        Some(schema)
    }

    /// The parts of a message that it can do without.
    fn optional_in_messages(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns what has to stand before the first message, with a comma, where the API does not let the conversation
    /// begin with that one.
    fn before_first(&self, _first: &Message) -> &'static [u8] {
        b""
    }

    /// Returns whether two neighbours are told in one entry of the list, as APIs demand whose roles have to alternate.
    fn joins(&self, _message: &Message, _next: &Message) -> bool {
        false
    }

    /// Writes messages that belong together, as one entry of the list or as several, separated by commas; nothing where
    /// the API has no way to say it.
    fn write(&self, group: &[Arc<Message>], images: &Images, out: &mut Vec<u8>) -> Result<(), Error>;

    fn framing(&self) -> Framing {
        Framing::ServerSentEvents
    }

    fn decoder(&self) -> Box<dyn AnswerDecoder>;
}

/// Headers as they are sent; their values are marked as sensitive by the caller.
pub(crate) type Headers = Result<Vec<(HeaderName, HeaderValue)>, InvalidHeaderValue>;

/// The key as most APIs take it.
pub(crate) fn bearer(key: Option<&Secret>) -> Headers {
    let value = |key: &Secret| HeaderValue::try_from(format!("Bearer {}", key.expose()));
    key.map(|key| Ok((AUTHORIZATION, value(key)?))).into_iter().collect()
}

/// The key in a header of its own.
pub(crate) fn key_header(name: &'static str, key: Option<&Secret>) -> Headers {
    let header = |key: &Secret| Ok((HeaderName::from_static(name), HeaderValue::try_from(key.expose())?));
    key.map(header).into_iter().collect()
}
