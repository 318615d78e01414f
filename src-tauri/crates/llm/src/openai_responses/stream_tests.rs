//! Answers in memory: however the network cuts the bytes, the answer is the same; and what servers do otherwise than
//! the API.

use super::response::ResponsesDecoder;
use crate::replay::{self, cut};
use arki_domain::{Code, Error, FinishReason, Reasoning, StreamEvent, TokenType, ToolRequest};
use bytes::Bytes;
use proptest::prelude::*;
use serde_json::{Value, json};

fn read(pieces: Vec<Bytes>) -> (Vec<StreamEvent>, Option<Error>) {
    replay::read(ResponsesDecoder::new("m"), pieces)
}

/// Encodes events as the API writes them, each with its name.
fn encode(events: &[Value], line_end: &str) -> String {
    let event = |event: &Value| {
        let name = event["type"].as_str().unwrap_or_default();
        format!("event: {name}{line_end}data: {event}{line_end}{line_end}")
    };
    events.iter().map(event).collect()
}

fn of(events: &[Value]) -> Vec<StreamEvent> {
    let (events, fault) = read(vec![Bytes::from(encode(events, "\n"))]);
    assert_eq!(fault, None);
    assert_eq!(events.last(), Some(&StreamEvent::End));
    events
}

fn completed() -> Value {
    json!({"type": "response.completed", "response": {"status": "completed"}})
}

fn text(token_type: TokenType, text: &str) -> StreamEvent {
    StreamEvent::Token { token_type, text: text.into() }
}

fn call(id: &str, name: &str, arguments: &str) -> StreamEvent {
    StreamEvent::ToolCall(ToolRequest { call_id: id.into(), tool_id: name.into(), arguments: arguments.into() })
}

fn calls(events: &[StreamEvent]) -> Vec<&StreamEvent> {
    events.iter().filter(|event| matches!(event, StreamEvent::ToolCall(_))).collect()
}

fn told(events: &[StreamEvent], wanted: TokenType) -> String {
    let text = |event: &StreamEvent| match event {
        StreamEvent::Token { token_type, text } if *token_type == wanted => Some(text.clone()),
        _ => None,
    };
    events.iter().filter_map(text).collect()
}

fn reasoning(events: &[StreamEvent]) -> Option<&Reasoning> {
    events.iter().find_map(|event| if let StreamEvent::Reasoning(reasoning) = event { Some(reasoning) } else { None })
}

fn finish_reason(events: &[StreamEvent]) -> Option<FinishReason> {
    events.iter().find_map(
        |event| {
            if let StreamEvent::Metadata { finish_reason, .. } = event { *finish_reason } else { None }
        },
    )
}

/// An answer with everything in it that could fall apart at a border, its two calls interleaved.
fn sample() -> Vec<Value> {
    let thoughts = json!({"type": "reasoning", "id": "rs_1", "encrypted_content": "gAAA=", "status": "completed",
        "summary": [{"type": "summary_text", "text": "größer"}, {"type": "summary_text", "text": "zwei"}]});
    let message = json!({"type": "message", "id": "msg_1", "status": "completed", "role": "assistant",
        "phase": "commentary", "content": [{"type": "output_text", "text": "`<think>` 世界🌍\r\n", "annotations": []}]});
    let call = |id: &str, name: &str, arguments: &str| {
        json!({"type": "function_call", "id": format!("fc_{id}"), "call_id": format!("call_{id}"), "name": name,
            "arguments": arguments, "status": "completed"})
    };
    let (one, two) = (call("a", "one", "{\"ü\":1}"), call("b", "two", "{}"));
    let begun = |item: &Value| {
        let mut item = item.clone();
        let not_yet = [
            ("status", json!("in_progress")),
            ("encrypted_content", json!("partial")),
            ("content", json!([])),
            ("summary", json!([])),
            ("arguments", json!("")),
        ];
        for (field, empty) in not_yet {
            if let Some(value) = item.get_mut(field) {
                *value = empty;
            }
        }
        item
    };
    let added = |index: u64, item: &Value| json!({"type": "response.output_item.added", "output_index": index, "item": begun(item)});
    let done =
        |index: u64, item: &Value| json!({"type": "response.output_item.done", "output_index": index, "item": item});
    let summary = |part: u64, delta: &str| {
        json!({"type": "response.reasoning_summary_text.delta", "item_id": "rs_1", "output_index": 0,
            "summary_index": part, "delta": delta})
    };
    let said = |delta: &str| {
        json!({"type": "response.output_text.delta", "item_id": "msg_1", "output_index": 1, "content_index": 0,
            "delta": delta, "logprobs": []})
    };
    let arguments = |index: u64, id: &str, delta: &str| json!({"type": "response.function_call_arguments.delta", "item_id": id, "output_index": index, "delta": delta});
    vec![
        json!({"type": "response.created", "response": {"object": "response", "status": "in_progress", "output": [], "usage": null, "error": null}}),
        added(0, &thoughts),
        summary(0, "grö"),
        summary(0, "ßer"),
        summary(1, "zwei"),
        done(0, &thoughts),
        added(1, &message),
        json!({"type": "response.content_part.added", "output_index": 1, "content_index": 0, "part": {"type": "output_text", "text": ""}}),
        said("`<thi"),
        said("nk>` 世"),
        said("界🌍\r\n"),
        json!({"type": "response.output_text.done", "item_id": "msg_1", "output_index": 1, "content_index": 0, "text": "`<think>` 世界🌍\r\n"}),
        done(1, &message),
        added(2, &one),
        added(3, &two),
        arguments(2, "fc_a", "{\"ü"),
        arguments(3, "fc_b", "{"),
        arguments(2, "fc_a", "\":1}"),
        arguments(3, "fc_b", "}"),
        json!({"type": "response.function_call_arguments.done", "item_id": "fc_b", "output_index": 3, "arguments": "{}"}),
        done(3, &two),
        json!({"type": "response.function_call_arguments.done", "item_id": "fc_a", "output_index": 2, "arguments": "{\"ü\":1}"}),
        done(2, &one),
        json!({"type": "response.completed", "response": {"object": "response", "status": "completed", "error": null,
            "incomplete_details": null, "output": [thoughts, message, one, two],
            "usage": {"input_tokens": 5, "input_tokens_details": {"cached_tokens": 3},
                "output_tokens": 4, "output_tokens_details": {"reasoning_tokens": 2}, "total_tokens": 9}}}),
    ]
}

#[test]
fn the_sample_is_understood() {
    let events = of(&sample());
    assert_eq!(events[0], text(TokenType::LlmThinking, "größer\n\nzwei"));
    assert_eq!(events[1], text(TokenType::LlmResponse, "`<think>` 世界🌍\r\n"));
    assert_eq!(events[2..4], [call("call_a", "one", "{\"ü\":1}"), call("call_b", "two", "{}")]);
    let kept = json!([
        {"type": "reasoning", "id": "rs_1", "encrypted_content": "gAAA=",
            "summary": [{"type": "summary_text", "text": "größer"}, {"type": "summary_text", "text": "zwei"}]},
        {"type": "message", "id": "msg_1", "phase": "commentary", "bytes": 22},
        {"type": "function_call", "id": "fc_a"},
        {"type": "function_call", "id": "fc_b"},
    ]);
    let Some(reasoning) = reasoning(&events) else { panic!("{events:?}") };
    assert_eq!((&*reasoning.format, &*reasoning.model, &reasoning.items), ("openai-responses", "m", &kept));
    let StreamEvent::Metadata { finish_reason, usage: Some(usage) } = &events[5] else { panic!("{events:?}") };
    assert_eq!(*finish_reason, Some(FinishReason::ToolCalls));
    assert_eq!((usage.prompt_tokens, usage.cached_tokens), (5, 3));
    assert_eq!((usage.completion_tokens, usage.reasoning_tokens, usage.total_tokens), (4, 2, 9));
    assert_eq!(events.len(), 7, "{events:?}");
}

#[test]
fn every_beginning_of_an_answer_is_cut_or_whole_but_never_garbage() {
    let whole = encode(&sample(), "\n");
    for length in 0..whole.len() {
        let (events, fault) = read(vec![Bytes::copy_from_slice(&whole.as_bytes()[..length])]);
        assert!(fault.as_ref().is_none_or(|fault| fault.is(Code::PROVIDER_STREAM_CUT)), "{length}: {fault:?}");
        assert!(fault.is_none() || calls(&events).is_empty(), "{length}: half an answer has no calls");
    }
}

#[test]
fn an_answer_that_never_says_it_is_complete_is_cut() {
    let mut events = sample();
    events.pop();
    let body = encode(&events, "\n") + "data: [DONE]\n\n";
    assert!(read(vec![Bytes::from(body)]).1.unwrap().is(Code::PROVIDER_STREAM_CUT));
}

#[test]
fn nothing_is_lost_or_told_twice_whichever_of_the_events_a_server_sends() {
    let whole = of(&sample());
    let without = |words: &[&str]| {
        let is_left = |event: &Value| !words.iter().any(|word| event["type"].as_str().unwrap().contains(word));
        let events: Vec<Value> = sample().into_iter().filter(is_left).collect();
        of(&events)
    };
    assert_eq!(without(&["created", "content_part", "output_text.done", "arguments.done"]), whole);
    assert_eq!(without(&["delta", "output_text.done"]), whole, "only in whole items");
    assert_eq!(without(&["delta", "added", "item.done"]).len(), whole.len(), "only in pieces' ends and at the end");
    assert_eq!(without(&["delta", "added", "done"]), whole, "only at the end");
    assert_eq!(without(&["output_item.done"]), whole);
    assert_eq!(without(&["added"]).len(), whole.len());
}

#[test]
fn arguments_that_come_only_at_their_end_are_taken_from_there() {
    let added = json!({"type": "response.output_item.added", "output_index": 0,
        "item": {"type": "function_call", "id": "fc_a", "call_id": "a", "name": "one", "arguments": ""}});
    let end = json!({"type": "response.function_call_arguments.done", "output_index": 0, "item_id": "fc_a", "arguments": "{\"x\":1}"});
    let item = json!({"type": "response.output_item.done", "output_index": 0,
        "item": {"type": "function_call", "id": "fc_a", "call_id": "a", "name": "one", "arguments": {"x": 1}}});
    for events in
        [vec![added.clone(), end, completed()], vec![added, item.clone(), completed()], vec![item, completed()]]
    {
        assert_eq!(calls(&of(&events)), [&call("a", "one", "{\"x\":1}")]);
    }
}

#[test]
fn a_server_that_counts_nothing_is_understood_by_its_ids() {
    let added = |id: &str| {
        json!({"type": "response.output_item.added",
        "item": {"type": "function_call", "call_id": id, "name": "one", "arguments": "", "status": "in_progress"}})
    };
    let delta = |id: &str, delta: &str| json!({"type": "response.function_call_arguments.delta", "item_id": id, "delta": delta});
    let done = |id: &str, arguments: &str| {
        json!({"type": "response.output_item.done", "item": {"type": "function_call", "call_id": id, "name": "one",
            "arguments": arguments, "status": "completed"}})
    };
    let said = json!({"type": "response.output_text.delta", "item_id": "msg_1", "delta": "hi"});
    let events = of(&[
        said,
        added("fc_1"),
        delta("fc_1", "{\"a\""),
        delta("fc_1", ":1}"),
        added("fc_2"),
        delta("fc_2", "{}"),
        json!({"type": "response.output_item.done", "item": {"type": "message", "id": "msg_1", "content": [{"type": "output_text", "text": "hi"}]}}),
        done("fc_1", "{\"a\":1}"),
        done("fc_2", "{}"),
        completed(),
    ]);
    assert_eq!(told(&events, TokenType::LlmResponse), "hi");
    assert_eq!(calls(&events), [&call("fc_1", "one", "{\"a\":1}"), &call("fc_2", "one", "{}")]);
}

#[test]
fn a_server_that_gives_an_item_another_id_in_each_event_is_understood_by_its_indices() {
    let mut events = sample();
    for (number, event) in events.iter_mut().enumerate() {
        for field in ["/item_id", "/item/id"] {
            if let Some(id) = event.pointer_mut(field) {
                *id = json!(format!("id_{number}"));
            }
        }
    }
    let (changed, plain) = (of(&events), of(&sample()));
    assert_eq!(changed[..4], plain[..4]);
    assert_eq!(changed.len(), plain.len());
}

#[test]
fn thoughts_in_the_open_are_thinking_and_are_kept() {
    let thought = json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "",
        "content": [{"type": "reasoning_text", "text": "hm, so"}]});
    let events = of(&[
        json!({"type": "response.reasoning_text.delta", "item_id": "rs_1", "output_index": 0, "content_index": 0, "delta": "hm, "}),
        json!({"type": "response.reasoning_text.delta", "item_id": "rs_1", "output_index": 0, "content_index": 0, "delta": "so"}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": thought}),
        json!({"type": "response.output_text.delta", "output_index": 1, "delta": "<think>more</think>Yes."}),
        completed(),
    ]);
    assert_eq!(told(&events, TokenType::LlmThinking), "hm, somore");
    assert_eq!(told(&events, TokenType::LlmResponse), "Yes.");
    let kept = &reasoning(&events).unwrap().items;
    assert_eq!(kept[0]["content"], thought["content"]);
    assert_eq!(kept[0].get("encrypted_content"), None);
    assert_eq!(kept[1], json!({"type": "message", "bytes": 4}));
}

#[test]
fn reasoning_that_only_the_vendor_has_is_not_sent_back() {
    let thought = json!({"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "hm"}]});
    let events = of(&[
        json!({"type": "response.output_item.done", "output_index": 0, "item": thought}),
        json!({"type": "response.output_text.done", "output_index": 1, "text": "Yes."}),
        completed(),
    ]);
    assert_eq!((told(&events, TokenType::LlmThinking).as_str(), reasoning(&events)), ("hm", None));
}

#[test]
fn several_messages_are_told_apart_and_refusals_are_text() {
    let said = |index: u64, delta: &str| json!({"type": "response.output_text.delta", "output_index": index, "item_id": format!("msg_{index}"), "delta": delta});
    let events = of(&[
        said(0, "I look."),
        said(1, "Do"),
        said(1, "ne <thi"),
        json!({"type": "response.refusal.delta", "output_index": 2, "item_id": "msg_2", "delta": "No."}),
        completed(),
    ]);
    assert_eq!(told(&events, TokenType::LlmResponse), "I look.\n\nDone <thi\n\nNo.");
    assert_eq!(finish_reason(&events), Some(FinishReason::Stop));
}

#[test]
fn an_answer_that_is_incomplete_says_why() {
    let ended = |reason: &str| json!({"type": "response.incomplete", "response": {"status": "incomplete", "incomplete_details": {"reason": reason}}});
    let said = json!({"type": "response.output_text.delta", "output_index": 0, "delta": "half a"});
    let begun = |name: &str, index: u64| {
        json!({"type": "response.output_item.added", "output_index": index,
        "item": {"type": "function_call", "id": format!("fc_{index}"), "call_id": name, "name": name, "arguments": ""}})
    };
    let cases = [
        ("max_output_tokens", FinishReason::Length),
        ("content_filter", FinishReason::ContentFilter),
        ("other", FinishReason::Other),
    ];
    for (reason, expected) in cases {
        let piece = json!({"type": "response.function_call_arguments.delta", "output_index": 1, "delta": "{\"pa"});
        let events = of(&[said.clone(), begun("a", 1), piece, begun("b", 2), ended(reason)]);
        assert_eq!(finish_reason(&events), Some(expected));
        assert_eq!(calls(&events), [&call("a", "a", "{\"pa")], "a call that only began is none");
    }
}

#[test]
fn failures_inside_a_stream_have_their_codes() {
    let failed = |code: &str| json!({"type": "response.failed", "response": {"status": "failed", "error": {"code": code, "message": "the words"}}});
    let cases = [
        (failed("server_error"), Code::PROVIDER_FAILED),
        (failed("rate_limit_exceeded"), Code::PROVIDER_RATE_LIMITED),
        (failed("context_length_exceeded"), Code::CONTEXT_TOO_LONG),
        (failed("insufficient_quota"), Code::PROVIDER_NO_CREDIT),
        (
            json!({"type": "error", "code": "insufficient_quota", "message": "the words", "param": null}),
            Code::PROVIDER_NO_CREDIT,
        ),
        (
            json!({"type": "error", "error": {"type": "invalid_request_error", "message": "the words"}}),
            Code::PROVIDER_BAD_REQUEST,
        ),
        (json!({"error": {"message": "the words", "code": 429}}), Code::PROVIDER_RATE_LIMITED),
    ];
    for (event, code) in cases {
        let (_, fault) = read(vec![Bytes::from(encode(&[sample()[0].clone(), event.clone()], "\n"))]);
        let fault = fault.unwrap();
        assert!(fault.is(code) && fault.message.contains("the words"), "{event}: {fault:?}");
    }
}

#[test]
fn another_apis_events_are_a_bad_answer() {
    let chunk = json!({"choices": [{"delta": {"content": "hi"}}]});
    let (_, fault) = read(vec![Bytes::from(format!("data: {chunk}\n\ndata: [DONE]\n\n"))]);
    assert!(fault.unwrap().is(Code::PROVIDER_BAD_ANSWER));
}

#[test]
fn more_items_than_any_answer_has_are_a_bad_answer() {
    let answer = |items: u64| {
        let item = |index| json!({"type": "response.output_item.added", "output_index": index, "item": {"type": "message", "id": format!("{index}")}});
        let events: Vec<Value> = (0..items).map(item).chain([completed()]).collect();
        read(vec![Bytes::from(encode(&events, "\n"))]).1
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
        let whole = encode(&sample(), line_end);
        prop_assert_eq!(read(cut(&whole, &cuts)), read(vec![Bytes::from(encode(&sample(), "\n"))]));
    }

    #[test]
    fn no_events_in_any_order_make_it_panic(order in prop::collection::vec(0..24_usize, 0..40)) {
        let events: Vec<Value> = order.iter().filter_map(|at| sample().get(*at).cloned()).collect();
        let (events, fault) = read(vec![Bytes::from(encode(&events, "\n"))]);
        prop_assert!(fault.is_some() || events.last() == Some(&StreamEvent::End));
    }
}
