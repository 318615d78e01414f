//! What servers stream back, the usual and the odd.

use crate::harness::{answer, calls, model, request, said, settings, text_of, tool_requests, user};
use arki_domain::{FinishReason, StreamEvent, TokenType, Usage};
use arki_testkit::{Script, ScriptedServer, Turn};
use futures_util::StreamExt;
use serde_json::{Value, json};

fn delta(delta: Value) -> Value {
    json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]})
}

fn finish(reason: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
}

fn metadata(events: &[StreamEvent]) -> (Option<FinishReason>, Option<Usage>) {
    let found = events.iter().find_map(|event| match event {
        StreamEvent::Metadata { finish_reason, usage } => Some((*finish_reason, *usage)),
        _ => None,
    });
    found.unwrap()
}

async fn of(chunks: &[Value]) -> Vec<StreamEvent> {
    answer(&ScriptedServer::start(vec![Turn::chunks(chunks)]).unwrap()).await
}

async fn of_stream(body: impl Into<Vec<u8>>) -> Vec<StreamEvent> {
    answer(&ScriptedServer::start(vec![Turn::stream(body)]).unwrap()).await
}

#[tokio::test]
async fn a_turn_is_the_same_in_chunks_of_one_byte_of_seven_and_whole() {
    let turn = || Turn::text("Grüße, 世界 🌍!").call("read_file", json!({"path": "ä.txt"})).call("b", json!({"x": 1}));
    let mut answers = Vec::new();
    for script in [Script::new(vec![turn()]).chunk(1), Script::new(vec![turn()]).chunk(7), Script::new(vec![turn()])] {
        answers.push(answer(&script.start().unwrap()).await);
    }
    assert_eq!(said(&answers[0]), "Grüße, 世界 🌍! ");
    assert_eq!(calls(&answers[0]), [("read_file", r#"{"path":"ä.txt"}"#), ("b", r#"{"x":1}"#)]);
    let usage = Usage {
        prompt_tokens: 100,
        completion_tokens: 10,
        total_tokens: 110,
        cached_tokens: 40,
        cost_usd: Some(0.0),
        ..Usage::default()
    };
    assert_eq!(metadata(&answers[0]), (Some(FinishReason::ToolCalls), Some(usage)));
    assert_eq!(answers[0], answers[1]);
    assert_eq!(answers[0], answers[2]);
}

#[tokio::test]
async fn reasoning_is_thinking_under_either_name_and_inline() {
    let events = of(&[
        delta(json!({"reasoning_content": "one "})),
        delta(json!({"role": "assistant", "reasoning": "two ", "reasoning_content": ""})),
        delta(json!({"reasoning": "three ", "reasoning_content": "three "})),
        delta(json!({"content": "<thi"})),
        delta(json!({"content": "nk>four</think>\n\nfive"})),
        finish("stop"),
    ])
    .await;
    assert_eq!(text_of(&events, TokenType::LlmThinking), "one two three four");
    assert_eq!(said(&events), "five");
}

#[tokio::test]
async fn interleaved_calls_are_sorted_out_by_their_index() {
    let call = |index: u64, call: Value| {
        let mut call = call;
        call["index"] = json!(index);
        delta(json!({"tool_calls": [call]}))
    };
    let events = of(&[
        call(0, json!({"id": "a", "function": {"name": "one", "arguments": "{\"x"}})),
        call(1, json!({"id": "b", "function": {"name": "two", "arguments": ""}})),
        call(0, json!({"id": "", "function": {"name": null, "arguments": "\":1}"}})),
        call(1, json!({"function": {"arguments": "{}"}})),
        finish("stop"),
    ])
    .await;
    assert_eq!(calls(&events), [("one", "{\"x\":1}"), ("two", "{}")]);
    assert_eq!(metadata(&events).0, Some(FinishReason::ToolCalls));
}

#[tokio::test]
async fn calls_without_index_id_or_arguments_are_still_calls() {
    let events = of(&[
        delta(json!({"tool_calls": [{"function": {"name": "one", "arguments": ""}}]})),
        delta(json!({"tool_calls": [{"function": {"name": "two", "arguments": {"x": 1}}}]})),
        finish("tool_calls"),
    ])
    .await;
    assert_eq!(calls(&events), [("one", "{}"), ("two", "{\"x\":1}")]);
    let ids: Vec<&str> = tool_requests(&events).iter().map(|call| call.call_id.as_str()).collect();
    assert!(!ids[0].is_empty() && ids[0] != ids[1], "{ids:?}");
}

#[tokio::test]
async fn calls_that_share_an_index_are_told_apart_by_their_ids() {
    let events = of(&[
        delta(json!({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "one", "arguments": "{}"}}]})),
        delta(json!({"tool_calls": [{"index": 0, "id": "b", "function": {"name": "two", "arguments": "{}"}}]})),
        finish("tool_calls"),
    ])
    .await;
    assert_eq!(calls(&events), [("one", "{}"), ("two", "{}")]);
}

#[tokio::test]
async fn empty_finish_reasons_and_usages_mean_nothing_yet() {
    let events = of(&[
        json!({"choices": [{"delta": {"content": "a"}, "finish_reason": ""}], "usage": {}}),
        json!({"choices": null, "usage": null, "timings": {"x": 1}}),
        json!({"choices": [{"delta": {"content": "b"}, "finish_reason": null}]}),
        json!({"choices": [{"delta": {"content": ""}, "finish_reason": "length"}],
            "usage": {"prompt_tokens": 3, "completion_tokens": 2}}),
    ])
    .await;
    assert_eq!(said(&events), "ab");
    let usage = Usage { cost_usd: Some(0.0), ..Usage::told(Some(3), Some(2), None, None) };
    assert_eq!(metadata(&events), (Some(FinishReason::Length), Some(usage)));
}

#[tokio::test]
async fn comments_line_ends_bom_and_events_without_data_are_understood() {
    let data = delta(json!({"content": "é"})).to_string();
    let done = finish("stop").to_string();
    for end in ["\n", "\r\n", "\r"] {
        let body = format!(
            "\u{feff}: OPENROUTER PROCESSING{end}{end}data:{end}{end}event: ping{end}{end}data: {data}{end}{end}\
             id: 1{end}retry: 5{end}{end}: x{end}data:{done}{end}{end}data: [DONE]{end}{end}"
        );
        assert_eq!(said(&of_stream(body).await), "é", "{end:?}");
    }
}

#[tokio::test]
async fn done_may_be_missing_when_the_model_has_said_why_it_stopped() {
    let body = format!("data: {}\n\ndata: {}\n\n", delta(json!({"content": "a"})), finish("stop"));
    let events = of_stream(body).await;
    assert_eq!(said(&events), "a");
    let free = Usage { cost_usd: Some(0.0), ..Usage::unknown() };
    assert_eq!(metadata(&events), (Some(FinishReason::Stop), Some(free)));
}

#[tokio::test]
async fn an_event_without_its_blank_line_is_not_used() {
    let more = delta(json!({"content": "b"}));
    let body = format!("data: {}\n\ndata: {}\n\ndata: {more}\n", delta(json!({"content": "a"})), finish("stop"));
    assert_eq!(said(&of_stream(body).await), "a");
}

#[tokio::test]
async fn a_name_that_comes_in_pieces_is_put_together_and_one_that_is_repeated_is_not() {
    let call = |id: &str, name: &str, arguments: &str| {
        delta(json!({"tool_calls": [{"index": 0, "id": id, "function": {"name": name, "arguments": arguments}}]}))
    };
    for pieces in [["read_", "file", ""], ["read_file", "read_file", "read_file"], ["", "read_file", ""]] {
        let chunks = [call("c", pieces[0], ""), call("", pieces[1], ""), call("", pieces[2], "{}"), finish("stop")];
        let events = of(&chunks).await;
        let called = events.iter().find_map(|event| match event {
            StreamEvent::ToolCall(call) => Some((call.tool_id.as_str(), call.arguments.as_str())),
            _ => None,
        });
        assert_eq!(called, Some(("read_file", "{}")), "{pieces:?}");
    }
}

#[tokio::test]
async fn the_finish_reason_may_be_missing_before_done() {
    let events = of(&[delta(json!({"content": "a"}))]).await;
    assert_eq!(metadata(&events).0, Some(FinishReason::Stop));
}

#[tokio::test]
async fn the_end_is_told_without_waiting_for_the_connection_to_close() {
    let body = format!("data: {}\n\ndata: [DONE]\n\n", finish("stop"));
    let length = body.len();
    let server = ScriptedServer::start(vec![Turn::stream(body).hang_after(length)]).unwrap();
    assert_eq!(metadata(&answer(&server).await).0, Some(FinishReason::Stop));
}

#[tokio::test]
async fn a_server_that_does_not_stream_is_understood() {
    let message = json!({"role": "assistant", "content": "<think>hm</think>Yes.", "tool_calls": [
        {"id": "a", "type": "function", "function": {"name": "one", "arguments": "{}"}},
        {"id": "b", "type": "function", "function": {"name": "two", "arguments": "{}"}}]});
    let body = json!({"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}});
    let events = answer(&ScriptedServer::start(vec![Turn::json(200, body)]).unwrap()).await;
    assert_eq!(said(&events), "Yes.");
    assert_eq!(text_of(&events, TokenType::LlmThinking), "hm");
    assert_eq!(calls(&events), [("one", "{}"), ("two", "{}")]);
    assert_eq!(metadata(&events).0, Some(FinishReason::ToolCalls));
}

#[tokio::test]
async fn content_in_parts_and_refusals_are_text() {
    let events = of(&[
        delta(json!({"content": [{"type": "text", "text": "a"}, {"type": "image"}]})),
        delta(json!({"content": null, "refusal": "no"})),
        finish("content_filter"),
    ])
    .await;
    assert_eq!(said(&events), "ano");
    assert_eq!(metadata(&events).0, Some(FinishReason::ContentFilter));
}

#[tokio::test]
async fn while_a_call_is_written_it_is_told_that_more_of_it_came() {
    let piece = |text: &str| delta(json!({"tool_calls": [{"index": 0, "function": {"arguments": text}}]}));
    let mut chunks = vec![delta(json!({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "one"}}]}))];
    chunks.push(piece("{\"x\": \""));
    chunks.extend(["much", "more", "of", "it"].map(piece));
    chunks.extend([piece("\"}"), finish("tool_calls")]);
    let server = ScriptedServer::start(vec![Turn::chunks(&chunks).events_a_second(4)]).unwrap();
    let model = model(settings(&server.url()));
    let stream = model.send(model.prepare(&request(vec![user("hi")])).unwrap()).await.unwrap();
    let events: Vec<StreamEvent> = stream.map(Result::unwrap).collect().await;
    let told = events.iter().filter(|event| **event == StreamEvent::CallGrows).count();
    assert!((1..=3).contains(&told), "{events:?}");
    assert_eq!(calls(&events), [("one", "{\"x\": \"muchmoreofit\"}")]);
}
