//! Answers in every wire format, whole and broken.

use arki_testkit::Turn;
use serde_json::{Value, json};

/// The content of an answer.
#[derive(Default)]
pub(super) struct Said<'a> {
    pub(super) thoughts: &'a str,
    pub(super) text: &'a str,
    /// Names and arguments, verbatim.
    pub(super) calls: Vec<(String, String)>,
}

/// A wire format, by the provider's kind.
pub(super) struct WireKind {
    pub(super) name: &'static str,
    /// Its paths begin behind `/v1`.
    pub(super) is_below_v1: bool,
    /// Arguments are text, which need not be JSON.
    pub(super) has_raw_arguments: bool,
    /// The events up to the content's end, and those that end the answer.
    write: fn(&Said<'_>) -> (Vec<Value>, Vec<Value>),
    overloaded: fn() -> Value,
}

pub(super) const KINDS: [WireKind; 5] = [
    WireKind { name: "custom", is_below_v1: true, has_raw_arguments: true, write: chat, overloaded: plain_error },
    WireKind { name: "openai", is_below_v1: true, has_raw_arguments: true, write: responses, overloaded: failed },
    WireKind { name: "anthropic", is_below_v1: false, has_raw_arguments: true, write: anthropic, overloaded },
    WireKind { name: "gemini", is_below_v1: false, has_raw_arguments: false, write: gemini, overloaded: unavailable },
    WireKind { name: "ollama", is_below_v1: false, has_raw_arguments: false, write: ollama, overloaded: in_words },
];

impl WireKind {
    pub(super) fn turn(&self, said: &Said<'_>) -> Turn {
        let (content, end) = (self.write)(said);
        self.stream(&[content, end].concat())
    }

    /// Breaks off at that many thousandths of its content.
    pub(super) fn cut(&self, said: &Said<'_>, thousandths: usize) -> Turn {
        let (content, end) = (self.write)(said);
        let length: usize = content.iter().map(|event| self.encoded(event).len()).sum();
        self.stream(&[content, end].concat()).cut_after((length * thousandths / 1000).saturating_sub(3))
    }

    pub(super) fn overloaded_within(&self, said: &Said<'_>) -> Turn {
        let content = (self.write)(said).0;
        self.stream(&[content, vec![(self.overloaded)()]].concat())
    }

    pub(super) fn damaged_after(&self, said: &Said<'_>) -> Turn {
        let content = (self.write)(said).0;
        let damaged = if self.name == "ollama" { "{\"mess" } else { "data: {\"choi\n\n" };
        let body = content.iter().map(|event| self.encoded(event)).collect::<String>() + damaged;
        self.of_body(body)
    }

    fn stream(&self, events: &[Value]) -> Turn {
        self.of_body(events.iter().map(|event| self.encoded(event)).collect())
    }

    fn of_body(&self, body: String) -> Turn {
        match self.name {
            "ollama" => Turn::raw(200, "application/x-ndjson", body),
            _ => Turn::stream(body),
        }
    }

    fn encoded(&self, event: &Value) -> String {
        match (self.name, event["type"].as_str()) {
            ("ollama", _) => format!("{event}\n"),
            (_, Some(name)) => format!("event: {name}\ndata: {event}\n\n"),
            (_, None) => format!("data: {event}\n\n"),
        }
    }
}

fn chat(said: &Said<'_>) -> (Vec<Value>, Vec<Value>) {
    let delta =
        |delta: Value, reason: Value| json!({"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]});
    let mut events = vec![delta(json!({"role": "assistant", "content": ""}), Value::Null)];
    if !said.thoughts.is_empty() {
        events.push(delta(json!({"reasoning_content": said.thoughts}), Value::Null));
    }
    if !said.text.is_empty() {
        events.push(delta(json!({"content": said.text}), Value::Null));
    }
    for (index, (name, arguments)) in said.calls.iter().enumerate() {
        let begun = json!({"index": index, "id": "call_1", "type": "function",
            "function": {"name": name, "arguments": ""}});
        events.push(delta(json!({"tool_calls": [begun]}), Value::Null));
        let rest = json!({"index": index, "function": {"arguments": arguments}});
        events.push(delta(json!({"tool_calls": [rest]}), Value::Null));
    }
    let reason = if said.calls.is_empty() { "stop" } else { "tool_calls" };
    (events, vec![delta(json!({}), json!(reason))])
}

fn responses(said: &Said<'_>) -> (Vec<Value>, Vec<Value>) {
    let mut items = Vec::new();
    if !said.thoughts.is_empty() {
        let summary = [json!({"type": "summary_text", "text": said.thoughts})];
        items.push(json!({"type": "reasoning", "id": "rs_1", "encrypted_content": "gAAA=", "summary": summary}));
    }
    if !said.text.is_empty() {
        let content = [json!({"type": "output_text", "text": said.text, "annotations": []})];
        items.push(json!({"type": "message", "id": "msg_1", "role": "assistant", "content": content}));
    }
    for (index, (name, arguments)) in said.calls.iter().enumerate() {
        items.push(json!({"type": "function_call", "id": format!("fc_{index}"), "call_id": "call_1", "name": name,
            "arguments": arguments}));
    }
    let item = |kind: &str, index: usize, item: &Value| json!({"type": kind, "output_index": index, "item": item});
    let mut events = vec![json!({"type": "response.created", "response": {"status": "in_progress"}})];
    for (index, whole) in items.iter().enumerate() {
        events.push(item("response.output_item.added", index, whole));
        events.push(item("response.output_item.done", index, whole));
    }
    let response = json!({"object": "response", "status": "completed", "error": null, "output": items});
    (events, vec![json!({"type": "response.completed", "response": response})])
}

fn anthropic(said: &Said<'_>) -> (Vec<Value>, Vec<Value>) {
    let mut blocks = Vec::new();
    if !said.thoughts.is_empty() {
        blocks.push((
            json!({"type": "thinking", "thinking": "", "signature": ""}),
            json!({"type": "thinking_delta", "thinking": said.thoughts}),
        ));
    }
    if !said.text.is_empty() {
        blocks.push((json!({"type": "text", "text": ""}), json!({"type": "text_delta", "text": said.text})));
    }
    for (name, arguments) in &said.calls {
        blocks.push((
            json!({"type": "tool_use", "id": "call_1", "name": name, "input": {}}),
            json!({"type": "input_json_delta", "partial_json": arguments}),
        ));
    }
    let usage = json!({"input_tokens": 50, "output_tokens": 1});
    let mut events = vec![json!({"type": "message_start", "message": {"type": "message", "usage": usage}})];
    for (index, (block, delta)) in blocks.into_iter().enumerate() {
        events.push(json!({"type": "content_block_start", "index": index, "content_block": block}));
        events.push(json!({"type": "content_block_delta", "index": index, "delta": delta}));
        events.push(json!({"type": "content_block_stop", "index": index}));
    }
    let reason = if said.calls.is_empty() { "end_turn" } else { "tool_use" };
    let delta = json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 10}});
    (events, vec![delta, json!({"type": "message_stop"})])
}

fn gemini(said: &Said<'_>) -> (Vec<Value>, Vec<Value>) {
    let parts = |parts: Value| json!({"candidates": [{"content": {"role": "model", "parts": parts}}]});
    let mut events = Vec::new();
    if !said.thoughts.is_empty() {
        events.push(parts(json!([{"text": said.thoughts, "thought": true}])));
    }
    if !said.text.is_empty() {
        events.push(parts(json!([{"text": said.text}])));
    }
    for (name, arguments) in &said.calls {
        let args: Value = serde_json::from_str(arguments).unwrap();
        events.push(parts(json!([{"functionCall": {"name": name, "args": args}}])));
    }
    let content = json!({"role": "model", "parts": []});
    (events, vec![json!({"candidates": [{"content": content, "finishReason": "STOP"}]})])
}

fn ollama(said: &Said<'_>) -> (Vec<Value>, Vec<Value>) {
    let message = |message: Value| json!({"message": message, "done": false});
    let mut events = Vec::new();
    if !said.thoughts.is_empty() {
        events.push(message(json!({"role": "assistant", "content": "", "thinking": said.thoughts})));
    }
    if !said.text.is_empty() {
        events.push(message(json!({"role": "assistant", "content": said.text})));
    }
    for (name, arguments) in &said.calls {
        let arguments: Value = serde_json::from_str(arguments).unwrap();
        let call = json!({"function": {"name": name, "arguments": arguments}});
        events.push(message(json!({"role": "assistant", "content": "", "tool_calls": [call]})));
    }
    let end = json!({"message": {"role": "assistant", "content": ""}, "done": true, "done_reason": "stop",
        "prompt_eval_count": 100, "eval_count": 10});
    (events, vec![end])
}

fn plain_error() -> Value {
    json!({"error": {"message": "The server is overloaded", "code": 503}})
}

fn failed() -> Value {
    let error = json!({"code": "server_error", "message": "The server is overloaded"});
    json!({"type": "response.failed", "response": {"object": "response", "status": "failed", "error": error}})
}

fn overloaded() -> Value {
    json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})
}

fn unavailable() -> Value {
    json!({"error": {"code": 503, "status": "UNAVAILABLE", "message": "The model is overloaded."}})
}

fn in_words() -> Value {
    json!({"error": "the model runner has stopped"})
}
