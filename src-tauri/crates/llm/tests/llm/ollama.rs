//! Ollama's own API, over the wire.

use crate::harness::{
    ask, assert_each_continues_the_one_before, calls, converse, keys, providers, request, said, text_of, user,
};
use arki_domain::{ChatModel, Code, Error, FinishReason, StreamEvent, TokenType, Usage};
use arki_llm::{ProviderKind, ProviderSettings};
use arki_testkit::{Script, ScriptedServer, Turn};
use serde_json::{Value, json};
use std::sync::Arc;

fn model(server: &ScriptedServer) -> Arc<dyn ChatModel> {
    let base_url = Some(server.url().strip_suffix("/v1").unwrap().to_owned());
    let settings = ProviderSettings { base_url, ..ProviderSettings::new("local", ProviderKind::Ollama) };
    providers(settings, &keys(&[])).model("local/qwen3:8b").unwrap()
}

fn lines(lines: &[Value]) -> Vec<u8> {
    lines.iter().flat_map(|line| format!("{line}\n").into_bytes()).collect()
}

fn turn(body: impl Into<Vec<u8>>) -> Turn {
    Turn::raw(200, "application/x-ndjson", body)
}

fn call() -> Value {
    let call = |path: &str| json!({"function": {"name": "read_file", "arguments": {"path": path}}});
    json!({"message": {"role": "assistant", "content": "", "tool_calls": [call("ä"), call("b")]}, "done": false})
}

fn spoken() -> Vec<u8> {
    lines(&[
        json!({"message": {"role": "assistant", "content": "", "thinking": "größer"}, "done": false}),
        json!({"message": {"role": "assistant", "content": "Grüße, 世界 🌍!"}, "done": false}),
        call(),
        json!({"message": {"role": "assistant", "content": ""}, "done": true, "done_reason": "stop",
            "prompt_eval_count": 100, "eval_count": 10}),
    ])
}

async fn fault(turn: Turn) -> Error {
    ask(&*model(&ScriptedServer::start(vec![turn]).unwrap()), &request(vec![user("hi")])).await.1.unwrap()
}

#[tokio::test]
async fn an_answer_is_the_same_however_it_is_cut() {
    for chunk in [1, 7, 10_000] {
        let server = Script::new(vec![turn(spoken())]).chunk(chunk).start().unwrap();
        let (events, fault) = ask(&*model(&server), &request(vec![user("hi")])).await;
        assert_eq!((fault, events.last()), (None, Some(&StreamEvent::End)));
        assert_eq!(text_of(&events, TokenType::LlmThinking), "größer");
        assert_eq!(said(&events), "Grüße, 世界 🌍!");
        assert_eq!(calls(&events), [("read_file", r#"{"path":"ä"}"#), ("read_file", r#"{"path":"b"}"#)]);
        let cost_usd = Some(0.0);
        let usage = Usage { cost_usd, ..Usage::told(Some(100), Some(10), None, None) };
        let end = StreamEvent::Metadata { finish_reason: Some(FinishReason::ToolCalls), usage: Some(usage) };
        assert!(events.contains(&end), "{events:?}");
        let sent = &server.requests()[0];
        assert_eq!((sent.path.as_str(), sent.header("authorization")), ("/api/chat", None));
    }
}

#[tokio::test]
async fn an_answer_that_does_not_stream_is_understood() {
    let body = json!({"message": {"role": "assistant", "content": "Yes."}, "done": true, "done_reason": "stop"});
    let server = ScriptedServer::start(vec![Turn::json(200, body)]).unwrap();
    let (events, fault) = ask(&*model(&server), &request(vec![user("hi")])).await;
    assert_eq!((said(&events).as_str(), fault), ("Yes.", None));
}

#[tokio::test]
async fn a_model_that_is_not_there_is_to_be_pulled() {
    let fault = fault(Turn::json(404, json!({"error": "model \"qwen3:8b\" not found, try pulling it first"}))).await;
    assert!(fault.is(Code::MODEL_NOT_FOUND), "{fault:?}");
    assert!(fault.hint.contains("`ollama pull qwen3:8b`"), "{fault:?}");
}

#[tokio::test]
async fn a_prompt_that_does_not_fit_is_told_apart_and_in_plain_words() {
    let inner = json!({"error": {"code": 400, "message": "request (8889 tokens) exceeds the available context size",
        "type": "exceed_context_size_error"}});
    let fault = fault(Turn::json(400, json!({"error": inner.to_string()}))).await;
    assert!(fault.is(Code::CONTEXT_TOO_LONG), "{fault:?}");
    assert!(fault.message.ends_with("It says: request (8889 tokens) exceeds the available context size"), "{fault:?}");
}

#[tokio::test]
async fn an_error_among_the_lines_ends_the_answer() {
    let body = lines(&[
        json!({"message": {"role": "assistant", "content": "Well"}, "done": false}),
        json!({"error": "the model runner has stopped"}),
    ]);
    let fault = fault(turn(body)).await;
    assert!(fault.is(Code::PROVIDER_FAILED) && fault.message.contains("runner has stopped"), "{fault:?}");
}

#[tokio::test]
async fn every_beginning_of_an_answer_is_cut_and_never_garbage() {
    let whole = spoken();
    let last = whole.len() - 1;
    for length in (0..last).step_by(13).chain([last - 1]) {
        let fault = fault(turn(whole.clone()).cut_after(length)).await;
        assert!(fault.is(Code::PROVIDER_STREAM_CUT), "{length}: {fault:?}");
    }
    let server = ScriptedServer::start(vec![turn(whole).cut_after(last)]).unwrap();
    assert_eq!(ask(&*model(&server), &request(vec![user("hi")])).await.1, None, "only the last line's end is missing");
}

#[tokio::test]
async fn over_a_hundred_turns_each_request_continues_the_one_before_byte_for_byte() {
    let server = ScriptedServer::start(vec![turn(spoken())]).unwrap();
    let hashes = converse(&*model(&server), request(vec![user("grüße")]), 100).await;
    assert_each_continues_the_one_before(&server, &hashes);
    let messages = server.requests()[99].json["messages"].clone();
    assert_eq!(messages.as_array().unwrap().len(), 2 + 99 * 3);
    assert_eq!(messages[2]["thinking"], "größer");
}
