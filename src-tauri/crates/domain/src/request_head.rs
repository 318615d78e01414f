//! The parts of a request that stand in no event: the system prompt, the tools, the options, and how the vendor's own
//! form of it begins. Kept beside the log, under its SHA-256, whenever it changes, so that a past request can be made
//! again from the log and be proven by its hash.

use crate::{ChatRequest, ModelOptions, PreparedRequest, ToolDefinition, sha256_hex};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

/// A request without the conversation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestHead {
    pub system: Arc<str>,
    pub tools: Arc<[ToolDefinition]>,
    pub options: ModelOptions,
    /// The vendor's JSON up to the first message. `None` where nothing is sent before it, and where it had a secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wire: Option<String>,
    /// Calls and results of the conversation were sent as text, as the model takes no tools.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tools_as_text: bool,
    /// The only message of a request that has nothing of the conversation, such as one for a summary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
}

impl RequestHead {
    /// Takes the head from a request of the conversation. Parts in the vendor's own form are ignored, since they follow
    /// from the rest.
    #[must_use]
    pub fn of(request: &ChatRequest) -> Self {
        Self {
            system: request.system.clone(),
            tools: request.tools.clone(),
            options: request.options.clone(),
            wire: None,
            tools_as_text: false,
            prompt: None,
        }
    }

    /// The same, with what `prepared` begins with in the vendor's own form.
    #[must_use]
    pub fn written_as(self, prepared: &PreparedRequest) -> Self {
        let wire = prepared.body.get(..prepared.head_bytes).filter(|head| !head.is_empty());
        let wire = wire.and_then(|head| String::from_utf8(head.to_vec()).ok());
        Self { wire, ..self }
    }

    /// Returns the content to keep, with its hash. Where `redact` puts placeholders for secrets into it, the vendor's form
    /// is left out: the request can't be proven then.
    #[must_use]
    pub fn to_keep(&self, redact: impl FnOnce(Value) -> Value) -> (String, Vec<u8>) {
        let bytes = serde_json::to_vec(&self.redacted(redact)).expect("a head has no keys but strings");
        (sha256_hex(&bytes), bytes)
    }

    /// Reads a kept content; `None` where it is none.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }

    fn redacted(&self, redact: impl FnOnce(Value) -> Value) -> Self {
        let mut clean = self.clone();
        clean.wire = None;
        let value = serde_json::to_value(&clean).expect("a head has no keys but strings");
        let redacted = serde_json::from_value(redact(value)).unwrap_or_default();
        if redacted == clean { self.clone() } else { redacted }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Category;
    use bytes::Bytes;
    use serde_json::json;

    fn head(system: &str) -> RequestHead {
        let tool = ToolDefinition {
            name: "read_file".into(),
            description: "Reads.".into(),
            category: Category::Read,
            parameters: json!({"type": "object"}),
        };
        RequestHead { system: system.into(), tools: [tool].into(), ..RequestHead::default() }
    }

    #[test]
    fn a_head_is_read_as_it_was_kept_with_the_vendors_beginning() {
        let body = Bytes::from_static(br#"{"model":"m","messages":["a"]}"#);
        let prepared = PreparedRequest { request_hash: String::new(), message_count: 1, head_bytes: 25, body };
        let head = head("Be good.").written_as(&prepared);
        assert_eq!(head.wire.as_deref(), Some(r#"{"model":"m","messages":["#));
        let (hash, bytes) = head.to_keep(|value| value);
        assert_eq!((RequestHead::read(&bytes), sha256_hex(&bytes)), (Some(head), hash));
    }
}
