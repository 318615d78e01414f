//! The data of an answer kept so that it can be sent back as it came: the reasoning itself, and the places of the
//! messages and calls among it. Their text and arguments are in the conversation already.

use arki_domain::Reasoning;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The wire format's name in [`Reasoning::format`].
const FORMAT: &str = "openai-responses";

/// Stands between the messages of one turn for whoever reads them; the API doesn't get it back.
pub(super) const DIVIDER: &str = "\n\n";

/// One item of the answer, in its place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Kept {
    Reasoning(ReasoningItem),
    /// The next `bytes` of the turn's text, the divider after them included.
    Message {
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        /// Newer models want to be told which of their messages were comments on the way.
        #[serde(skip_serializing_if = "Option::is_none")]
        phase: Option<String>,
        bytes: usize,
    },
    /// The turn's next call, whatever its `call_id` has become.
    FunctionCall {
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<String>,
    },
}

/// A reasoning item as the API takes it back; without the fields that it only sends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct ReasoningItem {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<String>,
    pub(super) summary: Value,
    /// The thoughts themselves, from servers that don't hide them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) content: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) encrypted_content: Option<String>,
}

/// Returns what is stored with the turn, unless a plain conversation would say all of it.
pub(super) fn keep(items: &[Kept], origin: &str) -> Option<Reasoning> {
    let plain = items.iter().all(|item| matches!(item, Kept::Message { phase: None, .. } | Kept::FunctionCall { .. }));
    let items = serde_json::to_value(items).ok().filter(|_| !plain)?;
    Some(Reasoning { format: FORMAT.to_owned(), model: origin.to_owned(), items })
}

/// Returns what was kept of a turn, if it came from there.
pub(super) fn recall(reasoning: Option<&Reasoning>, origin: &str) -> Vec<Kept> {
    let ours = reasoning.filter(|reasoning| reasoning.format == FORMAT && reasoning.model == origin);
    ours.and_then(|reasoning| Vec::deserialize(&reasoning.items).ok()).unwrap_or_default()
}
