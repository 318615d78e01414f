//! Chat Completions as a stream of events, the way OpenAI's server writes it.

use crate::turn::SpokenTurn;
use serde_json::{Value, json};

/// Arguments come in pieces of so many characters, so that clients have to join them.
const ARGUMENT_PIECE_CHARS: usize = 11;
/// In larger pieces where there would be more than this: a test of a large change is none of many pieces.
const MAX_ARGUMENT_PIECES: usize = 20_000;

pub(crate) fn event(data: &str) -> Vec<u8> {
    format!("data: {data}\n\n").into_bytes()
}

pub(crate) fn spoken(spoken: &SpokenTurn, turn: usize) -> Vec<u8> {
    let mut out = delta(turn, &json!({"role": "assistant", "content": ""}), None);
    for word in spoken.text.split(' ').filter(|word| !word.is_empty()) {
        out.extend(delta(turn, &json!({"content": format!("{word} ")}), None));
    }
    for (index, (name, arguments)) in spoken.calls.iter().enumerate() {
        let function = json!({"name": name, "arguments": ""});
        let call =
            json!({"index": index, "id": format!("call_{turn}_{index}"), "type": "function", "function": function});
        out.extend(delta(turn, &json!({"tool_calls": [call]}), None));
        let characters: Vec<char> = arguments.chars().collect();
        let piece_chars = characters.len().div_ceil(MAX_ARGUMENT_PIECES).max(ARGUMENT_PIECE_CHARS);
        for piece in characters.chunks(piece_chars) {
            let function = json!({"arguments": piece.iter().collect::<String>()});
            out.extend(delta(turn, &json!({"tool_calls": [{"index": index, "function": function}]}), None));
        }
    }
    let reason = if spoken.calls.is_empty() { "stop" } else { "tool_calls" };
    out.extend(delta(turn, &json!({}), Some(reason)));
    out.extend(event(&usage().to_string()));
    out.extend(event("[DONE]"));
    out
}

/// Encodes like [`spoken`], with the text cut as it is given.
pub(crate) fn pieces<'a>(pieces: impl IntoIterator<Item = &'a str>) -> Vec<u8> {
    let mut out = Vec::new();
    for piece in pieces {
        out.extend(delta(0, &json!({"content": piece}), None));
    }
    out.extend(delta(0, &json!({}), Some("stop")));
    out.extend(event(&usage().to_string()));
    out.extend(event("[DONE]"));
    out
}

fn delta(turn: usize, delta: &Value, finish_reason: Option<&str>) -> Vec<u8> {
    let choice = json!({"index": 0, "delta": delta, "finish_reason": finish_reason});
    let id = format!("c{turn}");
    event(
        &json!({"id": id, "object": "chat.completion.chunk", "created": 1, "model": "mock", "choices": [choice]})
            .to_string(),
    )
}

fn usage() -> Value {
    let details = json!({"cached_tokens": 40});
    let usage =
        json!({"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110, "prompt_tokens_details": details});
    json!({"id": "u", "object": "chat.completion.chunk", "created": 1, "model": "mock", "choices": [], "usage": usage})
}
