//! Texts that people and models wrote, where they are asked for: in the form of the conventions' messages, bounded.

use arki_domain::FinishReason;
use serde_json::{Value, json};

/// The choice to tell what people and models wrote, or not to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TelemetryContents {
    LeftOut,
    Included,
}

/// A text is told up to this length; receivers refuse larger attributes or drop them.
pub const MAX_CONTENT_BYTES: usize = 32 << 10;

impl TelemetryContents {
    /// Returns the attribute that `make` makes, where contents are told.
    pub(crate) fn told(self, make: impl FnOnce() -> String) -> Option<String> {
        (self == Self::Included).then(make)
    }
}

pub(crate) fn bounded(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_CONTENT_BYTES)]
}

pub(crate) fn user_message(text: &str) -> String {
    json!([{"role": "user", "parts": [text_part(text)]}]).to_string()
}

pub(crate) fn assistant_message(thoughts: Option<&str>, text: &str, reason: FinishReason) -> String {
    let thoughts = thoughts.map(|thoughts| json!({"type": "reasoning", "content": bounded(thoughts)}));
    let parts: Vec<Value> = thoughts.into_iter().chain([text_part(text)]).collect();
    json!([{"role": "assistant", "parts": parts, "finish_reason": finish_word(reason)}]).to_string()
}

fn text_part(text: &str) -> Value {
    json!({"type": "text", "content": bounded(text)})
}

/// The conventions' word for the reason why a model stopped.
pub(crate) fn finish_word(reason: FinishReason) -> &'static str {
    match reason {
        FinishReason::Stop => "stop",
        FinishReason::ToolCalls => "tool_call",
        FinishReason::Length => "length",
        FinishReason::ContentFilter => "content_filter",
        FinishReason::Other => "error",
    }
}
