//! OpenRouter's `reasoning_details`: what the vendors behind it want back with a turn, signed or encrypted.
//!
//! <https://openrouter.ai/docs/use-cases/reasoning-tokens>

use super::{Dialect, OpenAiChat};
use arki_domain::{Reasoning, ToolRequest};
use serde_json::{Value, json};

const FORMAT: &str = "openrouter";

/// Puts the pieces of a stream together.
#[derive(Default)]
pub(super) struct ReasoningDetails(Vec<Value>);

impl ReasoningDetails {
    /// Takes the pieces of one chunk, and returns what can be read of them.
    pub(super) fn push(&mut self, pieces: &Value) -> String {
        let mut readable = String::new();
        for piece in pieces.as_array().into_iter().flatten().filter(|piece| piece.is_object()) {
            readable.extend(text_of(piece));
            match self.0.last_mut().filter(|last| continues(last, piece)) {
                Some(last) => append(last, piece),
                None => self.0.push(piece.clone()),
            }
        }
        readable
    }

    /// `calls` are those of the turn: some vendors' details name one of them.
    pub(super) fn finish(&mut self, model: &str, calls: &[ToolRequest]) -> Option<Reasoning> {
        let details = std::mem::take(&mut self.0);
        let calls: Vec<&str> = calls.iter().map(|call| call.call_id.as_str()).collect();
        let items = json!({"details": details, "calls": calls});
        (!details.is_empty()).then(|| Reasoning { format: FORMAT.to_owned(), model: model.to_owned(), items })
    }
}

/// The details as they go back, in their order and unchanged but for the ids of calls, which may have been given anew.
pub(super) fn sent_back(reasoning: &Reasoning, format: &OpenAiChat, calls: &[ToolRequest]) -> Option<Value> {
    if format.dialect != Dialect::OpenRouter || reasoning.format != FORMAT || reasoning.model != format.model {
        return None;
    }
    let mut details = reasoning.items.get("details")?.clone();
    let named = reasoning.items.get("calls").and_then(Value::as_array);
    for detail in details.as_array_mut()? {
        let place = named.and_then(|named| named.iter().position(|id| detail.get("id") == Some(id)));
        if let Some(call) = place.and_then(|place| calls.get(place)) {
            detail["id"] = json!(call.call_id.as_str());
        }
    }
    Some(details)
}

fn text_of(detail: &Value) -> Option<&str> {
    detail.get("text").or_else(|| detail.get("summary"))?.as_str()
}

/// Text comes in pieces, its signature last; anything else comes whole.
fn continues(last: &Value, piece: &Value) -> bool {
    let same = |key| last.get(key) == piece.get(key);
    let is_text = matches!(piece["type"].as_str(), Some("reasoning.text" | "reasoning.summary"));
    let is_signed = last.get("signature").is_some_and(|signature| !signature.is_null());
    is_text && same("type") && same("index") && !(is_signed && text_of(piece).is_some_and(|text| !text.is_empty()))
}

fn append(last: &mut Value, piece: &Value) {
    for (key, value) in piece.as_object().into_iter().flatten() {
        match (last.get(key), key.as_str(), value) {
            (Some(Value::String(so_far)), "text" | "summary", Value::String(more)) => {
                last[key] = json!(format!("{so_far}{more}"));
            }
            (None | Some(Value::Null), _, value) => last[key] = value.clone(),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ProviderKind, ProviderSettings};

    fn gathered(chunks: &[Value]) -> (String, Value) {
        let mut details = ReasoningDetails::default();
        let text = chunks.iter().map(|chunk| details.push(chunk)).collect();
        (text, details.finish("m", &[]).map_or(Value::Null, |reasoning| reasoning.items["details"].clone()))
    }

    fn call(id: &str) -> ToolRequest {
        ToolRequest { call_id: id.into(), tool_id: "a".into(), arguments: "{}".into() }
    }

    #[test]
    fn the_pieces_of_a_text_and_its_signature_become_one() {
        let (text, details) = gathered(&[
            json!([{"type": "reasoning.text", "text": "Let ", "format": "anthropic-claude-v1", "index": 0}]),
            json!([{"type": "reasoning.text", "text": "me", "signature": null, "index": 0}]),
            json!([{"type": "reasoning.text", "signature": "sig", "index": 0}]),
            json!([{"type": "reasoning.text", "text": "Again", "index": 0}]),
            json!([{"type": "reasoning.text", "text": "!", "signature": "two", "index": 0}]),
        ]);
        assert_eq!(text, "Let meAgain!");
        let first = json!({"type": "reasoning.text", "text": "Let me", "signature": "sig", "format": "anthropic-claude-v1", "index": 0});
        let second = json!({"type": "reasoning.text", "text": "Again!", "signature": "two", "index": 0});
        assert_eq!(details, json!([first, second]));
    }

    #[test]
    fn what_is_encrypted_stays_whole_and_everything_keeps_its_order() {
        let encrypted = |id: &str| json!({"type": "reasoning.encrypted", "data": "x", "id": id, "index": 0});
        let (text, details) = gathered(&[
            json!([{"type": "reasoning.summary", "summary": "a", "index": 0}]),
            json!([{"type": "reasoning.summary", "summary": "b", "index": 0}, encrypted("1")]),
            json!([encrypted("2")]),
            json!([{"type": "reasoning.summary", "summary": "c", "index": 1}]),
        ]);
        assert_eq!(text, "abc");
        let summary = |text: &str, index: u8| json!({"type": "reasoning.summary", "summary": text, "index": index});
        assert_eq!(details, json!([summary("ab", 0), encrypted("1"), encrypted("2"), summary("c", 1)]));
    }

    #[test]
    fn nothing_and_nonsense_are_nothing() {
        assert_eq!(gathered(&[json!(null), json!([]), json!([1]), json!({"a": 1})]), (String::new(), Value::Null));
    }

    #[test]
    fn details_name_their_call_by_the_id_it_has_now() {
        let format = |model| OpenAiChat::new(&ProviderSettings::new("r", ProviderKind::Openrouter), model);
        let mut details = ReasoningDetails::default();
        let named = |id: &str| json!([{"type": "reasoning.encrypted", "data": "x", "id": id}]);
        details.push(&named("tool_0"));
        let reasoning = details.finish("google/gemini", &[call("tool_1"), call("tool_0")]).unwrap();
        let back = |model, calls: &[ToolRequest]| sent_back(&reasoning, &format(model), calls);
        assert_eq!(back("google/gemini", &[call("b"), call("a")]), Some(named("a")));
        assert_eq!(back("google/gemini", &[]), Some(named("tool_0")));
        assert_eq!(back("openai/gpt-5", &[call("b"), call("a")]), None);
        let foreign = Reasoning { format: "anthropic".into(), ..reasoning.clone() };
        assert_eq!(sent_back(&foreign, &format("google/gemini"), &[]), None);
    }
}
