//! Answers in memory: however the network cuts the bytes, the answer is the same; and bounds that take long to reach.

use super::response::MessagesDecoder;
use crate::replay::{self, cut};
use arki_domain::{Code, Error, FinishReason, StreamEvent, TokenType, ToolRequest, Usage};
use bytes::Bytes;
use proptest::prelude::*;
use serde_json::{Value, json};

fn read(pieces: Vec<Bytes>) -> (Vec<StreamEvent>, Option<Error>) {
    replay::read(MessagesDecoder::new("m"), pieces)
}

fn stream(events: &[Value], line_end: &str) -> String {
    let event = |event: &Value| {
        let name = event["type"].as_str().unwrap_or_default();
        format!("event: {name}{line_end}data: {event}{line_end}{line_end}")
    };
    events.iter().map(event).collect()
}

fn begin(index: u64, block: &Value) -> Value {
    json!({"type": "content_block_start", "index": index, "content_block": block})
}

fn delta(index: u64, delta: &Value) -> Value {
    json!({"type": "content_block_delta", "index": index, "delta": delta})
}

fn finish(reason: &str) -> Value {
    json!({"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": null}, "usage": {"output_tokens": 9}})
}

/// An answer with everything in it that could fall apart at a border.
fn sample(line_end: &str) -> String {
    let call = |id: &str, name: &str| json!({"type": "tool_use", "id": id, "name": name, "input": {}});
    let arguments = |text: &str| json!({"type": "input_json_delta", "partial_json": text});
    let usage =
        json!({"input_tokens": 5, "cache_read_input_tokens": 3, "cache_creation_input_tokens": 2, "output_tokens": 1});
    let events = [
        json!({"type": "message_start", "message": {"id": "msg", "content": [], "stop_reason": null, "usage": usage}}),
        begin(0, &json!({"type": "thinking", "thinking": "", "signature": ""})),
        json!({"type": "ping"}),
        delta(0, &json!({"type": "thinking_delta", "thinking": "größ"})),
        delta(0, &json!({"type": "thinking_delta", "thinking": "er"})),
        delta(0, &json!({"type": "signature_delta", "signature": "c2ln"})),
        json!({"type": "content_block_stop", "index": 0}),
        begin(1, &json!({"type": "redacted_thinking", "data": "secret"})),
        json!({"type": "content_block_stop", "index": 1}),
        begin(2, &json!({"type": "text", "text": ""})),
        delta(2, &json!({"type": "text_delta", "text": "世界 "})),
        delta(2, &json!({"type": "text_delta", "text": "🌍\r\n"})),
        begin(3, &call("toolu_a", "one")),
        delta(3, &arguments("")),
        delta(3, &arguments("{\"ü\"")),
        delta(3, &arguments(":1}")),
        begin(4, &json!({"type": "thinking", "thinking": "", "signature": ""})),
        delta(4, &json!({"type": "thinking_delta", "thinking": "again"})),
        delta(4, &json!({"type": "signature_delta", "signature": "bW9yZQ"})),
        begin(5, &call("toolu_b", "two")),
        json!({"type": "something_new", "index": 5}),
        finish("tool_use"),
        json!({"type": "message_stop"}),
    ];
    format!("\u{feff}: keep-alive{line_end}{line_end}{}", stream(&events, line_end))
}

#[test]
fn the_sample_is_understood() {
    let (events, fault) = read(vec![Bytes::from(sample("\n"))]);
    assert_eq!(fault, None);
    let text = |token_type, text: &str| StreamEvent::Token { token_type, text: text.into() };
    let call = |id: &str, name: &str, arguments: &str| {
        let (tool_id, arguments) = (name.into(), arguments.into());
        StreamEvent::ToolCall(ToolRequest { call_id: id.into(), tool_id, arguments })
    };
    let usage = Usage {
        prompt_tokens: 10,
        completion_tokens: 9,
        total_tokens: 19,
        cached_tokens: 3,
        cache_write_tokens: 2,
        ..Usage::default()
    };
    assert_eq!(events[0], text(TokenType::LlmThinking, "größer"));
    assert_eq!(events[1], text(TokenType::LlmResponse, "世界 🌍\r\n"));
    assert_eq!(events[2], text(TokenType::LlmThinking, "\n\nagain"));
    let StreamEvent::Reasoning(reasoning) = &events[3] else { panic!("{events:?}") };
    assert_eq!((reasoning.format.as_str(), reasoning.model.as_str()), ("anthropic", "m"));
    let items = json!([
        {"type": "thinking", "thinking": "größer", "signature": "c2ln"},
        {"type": "redacted_thinking", "data": "secret"},
        {"type": "text", "bytes": "世界 🌍\r\n".len()},
        {"type": "tool_use"},
        {"type": "thinking", "thinking": "again", "signature": "bW9yZQ"},
        {"type": "tool_use"},
    ]);
    assert_eq!(reasoning.items, items);
    assert_eq!(events[4..6], [call("toolu_a", "one", "{\"ü\":1}"), call("toolu_b", "two", "{}")]);
    let finish_reason = Some(FinishReason::ToolCalls);
    assert_eq!(events[6..], [StreamEvent::Metadata { finish_reason, usage: Some(usage) }, StreamEvent::End]);
}

#[test]
fn every_beginning_of_an_answer_is_cut_or_whole_but_never_garbage() {
    let whole = sample("\n");
    for length in 0..whole.len() {
        let (events, fault) = read(vec![Bytes::copy_from_slice(&whole.as_bytes()[..length])]);
        let has_calls = events.iter().any(|event| matches!(event, StreamEvent::ToolCall(_)));
        let is_cut = fault.as_ref().is_some_and(|fault| fault.is(Code::PROVIDER_STREAM_CUT));
        assert!(if is_cut { !has_calls } else { fault.is_none() && has_calls }, "{length}: {fault:?}");
    }
}

#[test]
fn more_parts_than_anybody_reviews_are_a_bad_answer() {
    let answer = |parts: u64| {
        let part = |index| begin(index, &json!({"type": "text", "text": "a"}));
        let parts: Vec<Value> = (0..parts).map(part).chain([finish("end_turn")]).collect();
        read(vec![Bytes::from(stream(&parts, "\n"))]).1
    };
    assert_eq!(answer(512), None);
    assert!(answer(513).unwrap().is(Code::PROVIDER_BAD_ANSWER));
}

proptest! {
    #[test]
    fn any_cutting_gives_the_same_events(
        line_end in prop::sample::select(vec!["\n", "\r\n", "\r"]),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..40),
    ) {
        let whole = sample(line_end);
        prop_assert_eq!(read(cut(&whole, &cuts)), read(vec![Bytes::from(sample("\n"))]));
    }

    #[test]
    fn no_events_in_any_order_make_it_panic_or_hang(
        order in prop::collection::vec(any::<prop::sample::Index>(), 0..40),
    ) {
        let whole = sample("\n");
        let events: Vec<&str> = whole.split_inclusive("\n\n").collect();
        let shuffled: String = order.iter().map(|at| *at.get(&events)).collect();
        let (events, fault) = read(vec![Bytes::from(shuffled)]);
        prop_assert!(fault.is_some() || events.last() == Some(&StreamEvent::End));
    }
}
