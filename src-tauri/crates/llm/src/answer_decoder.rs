//! Decoders of a vendor's answer, event by event.

use crate::think_split::Stretch;
use crate::vendor_error::VendorError;
use arki_domain::{CallId, StreamEvent, TokenType, ToolRequest, Usage};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// More calls in one answer than anybody reviews. An answer that goes on beyond is ended, and none of them is done.
pub(crate) const MAX_CALLS: usize = 256;

/// Turns the events of one wire format into those of the port.
pub(crate) trait AnswerDecoder: Send {
    /// Adds what the event says to `out`.
    fn event(&mut self, name: Option<&str>, data: &str, out: &mut Vec<StreamEvent>) -> Result<Step, DecodeError>;
    /// Takes the answer of a server that does not stream; where that has the form of one event, nothing need be said.
    fn whole(&mut self, body: &str, out: &mut Vec<StreamEvent>) -> Result<(), DecodeError> {
        self.event(None, body, out).map(|_| ())
    }
    /// The call that the last piece of arguments was for: its number, and what has come of them. `None` where calls come
    /// whole.
    fn arguments(&self) -> Option<(usize, &str)> {
        None
    }
    /// Returns whether the model has said that it is done.
    fn is_finished(&self) -> bool;
    /// Adds the events that are only known at the end: tool calls, the finish reason, usage.
    fn conclude(&mut self, out: &mut Vec<StreamEvent>);
    /// Returns the share of the list price that the answer costs; `None` in a tier whose price isn't known.
    fn price_share(&self) -> Option<f64> {
        Some(1.0)
    }
    /// The figures so far, for an answer that breaks off.
    fn usage(&self) -> Option<Usage>;
}

/// Returns the share of the list price, from what OpenAI says of how a request was served. Flex costs half:
/// <https://platform.openai.com/docs/guides/flex-processing>.
pub(crate) fn share_of_tier(tier: Option<&Value>) -> Option<f64> {
    match tier.and_then(Value::as_str) {
        None | Some("" | "auto" | "default" | "standard") => Some(1.0),
        Some("flex") => Some(0.5),
        Some(_) => None,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// There may be more.
    More,
    /// Nothing of interest follows.
    Complete,
}

#[derive(Debug)]
pub(crate) enum DecodeError {
    /// The vendor says what went wrong.
    Vendor(VendorError),
    /// An answer in another wire format; finishes the sentence “can't be read: …”.
    Malformed(&'static str),
    /// An answer of which not everything arrived.
    Cut,
    /// It asks for more than [`MAX_CALLS`].
    TooManyCalls,
}

impl DecodeError {
    /// The error that stands in a body or in the data of an event.
    pub(crate) fn of_vendor(body: &str) -> Self {
        Self::Vendor(VendorError::from_body(body.as_bytes()))
    }
}

/// The JSON of an event, or what its data say where it is an error; `malformed` as in [`DecodeError::Malformed`].
pub(crate) fn read<T: DeserializeOwned>(
    name: Option<&str>,
    data: &str,
    malformed: &'static str,
) -> Result<T, DecodeError> {
    serde_json::from_str(data).map_err(|_| match name {
        Some("error") => DecodeError::of_vendor(data),
        _ => DecodeError::Malformed(malformed),
    })
}

/// A piece of text; none where it is empty.
pub(crate) fn token(token_type: TokenType, text: impl Into<String>) -> Option<StreamEvent> {
    Some(text.into()).filter(|text| !text.is_empty()).map(|text| StreamEvent::Token { token_type, text })
}

pub(crate) fn tokens(stretches: Vec<Stretch>) -> impl Iterator<Item = StreamEvent> {
    stretches.into_iter().filter_map(|(token_type, text)| token(token_type, text))
}

/// A call, with an id of its own and an empty object where the vendor has sent none.
pub(crate) fn tool_request(id: String, name: String, arguments: String) -> ToolRequest {
    let call_id = if id.is_empty() { CallId::new() } else { CallId::from(id) };
    let arguments = if arguments.trim().is_empty() { "{}".to_owned() } else { arguments };
    ToolRequest { call_id, tool_id: name, arguments }
}
