//! Anthropic's Messages, from the outside.

use crate::harness::{KEY, ask, calls, keys, providers, request, said, text_of, tool_requests, user};
use arki_domain::{
    Category, ChatModel, ChatRequest, Code, Error, FinishReason, Image, Message, ModelOptions, Reasoning, StreamEvent,
    TokenType, ToolDefinition, ToolRequest, sha256_hex,
};
use arki_llm::{ModelSettings, ProviderKind, ProviderSettings, retryable};
use arki_testkit::{Script, ScriptedServer, Turn};
use bytes::Bytes;
use serde_json::{Value, json};
use std::sync::Arc;

const NOWHERE: &str = "http://127.0.0.1:9/v1";

/// The server's URL ends with what is part of the API's path here.
fn settings(url: &str) -> ProviderSettings {
    let base_url = url.strip_suffix("/v1").map(str::to_owned);
    ProviderSettings { base_url, ..ProviderSettings::new("lab", ProviderKind::Anthropic) }
}

fn model(url: &str, name: &str) -> Arc<dyn ChatModel> {
    providers(settings(url), &keys(&[KEY])).model(&format!("lab/{name}")).unwrap()
}

fn tools() -> Arc<[ToolDefinition]> {
    let parameters = json!({"type": "object", "properties": {"path": {"type": "string"}}});
    let description = "Reads a file.".into();
    Arc::new([ToolDefinition { name: "read_file".into(), description, category: Category::Read, parameters }])
}

fn body(name: &str, request: &ChatRequest) -> Value {
    serde_json::from_slice(&model(NOWHERE, name).prepare(request).unwrap().body).unwrap()
}

fn call(id: &str, arguments: &str) -> ToolRequest {
    ToolRequest { call_id: id.into(), tool_id: "read_file".into(), arguments: arguments.into() }
}

fn result(id: &str, content: &str, is_error: bool) -> Message {
    Message::ToolResult { call_id: id.into(), tool_id: "read_file".into(), content: content.into(), is_error }
}

fn events(events: &[Value]) -> String {
    events.iter().map(|event| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap())).collect()
}

/// A whole answer with these blocks.
fn answer(blocks: &[Value], stop_reason: &str) -> Turn {
    let usage = json!({"input_tokens": 50, "cache_read_input_tokens": 40, "output_tokens": 1});
    let mut said = vec![json!({"type": "message_start", "message": {"type": "message", "usage": usage}})];
    for (index, block) in blocks.iter().enumerate() {
        said.push(json!({"type": "content_block_start", "index": index, "content_block": block}));
        said.push(json!({"type": "content_block_stop", "index": index}));
    }
    let usage = json!({"output_tokens": 10, "output_tokens_details": {"thinking_tokens": 4}});
    said.push(json!({"type": "message_delta", "delta": {"stop_reason": stop_reason}, "usage": usage}));
    said.push(json!({"type": "message_stop"}));
    Turn::stream(events(&said))
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn tool_use(id: &str) -> Value {
    json!({"type": "tool_use", "id": id, "name": "read_file", "input": {"path": "a"}})
}

async fn hear(turn: Turn) -> (Vec<StreamEvent>, Option<Error>) {
    let server = ScriptedServer::start(vec![turn]).unwrap();
    ask(&*model(&server.url(), "claude-sonnet-4-5"), &request(vec![user("hi")])).await
}

fn finish_reason(events: &[StreamEvent]) -> Option<FinishReason> {
    events.iter().find_map(|event| match event {
        StreamEvent::Metadata { finish_reason, .. } => *finish_reason,
        _ => None,
    })
}

#[test]
fn a_whole_conversation_in_the_vendors_words() {
    let items = json!([
        {"type": "thinking", "thinking": "hm", "signature": "sig"},
        {"type": "text", "bytes": 5},
        {"type": "tool_use"},
        {"type": "redacted_thinking", "data": "xyz"},
        {"type": "tool_use"},
        {"type": "tool_use"},
    ]);
    let reasoning = Reasoning { format: "anthropic".into(), model: "claude-opus-4-6".into(), items };
    let mut request = request(vec![
        Message::User { content: "hi".into(), images: vec![Image::new("image/png", "known")] },
        Message::System { content: "Be brief.".into() },
        Message::ToolRequest {
            content: "Look.".into(),
            thoughts: Some("hm".into()),
            reasoning: Some(reasoning.clone()),
            calls: vec![call("a", "{\"path\": \"x\"}"), call("b|1", ""), call("c", "{oops")],
        },
        result("a", "1", false),
        result("b|1", "", true),
        result("c", "", false),
        user("And?"),
        Message::Assistant { content: "Done.".into(), thoughts: None, reasoning: Some(reasoning) },
        Message::Assistant { content: " ".into(), thoughts: None, reasoning: None },
        user("Thanks."),
    ]);
    request.tools = tools();
    request.images = Arc::new([("known".to_owned(), Bytes::from_static(b"\x89PNG"))].into());
    let sent = body("claude-opus-4-6", &request);
    let id = format!("toolu_{}", &sha256_hex(b"b|1")[..32]);
    let call = |id: &str, input: Value| json!({"type": "tool_use", "id": id, "name": "read_file", "input": input});
    let thinking = json!({"type": "thinking", "thinking": "hm", "signature": "sig"});
    let redacted = json!({"type": "redacted_thinking", "data": "xyz"});
    let expected = json!([
        {"role": "user", "content": [
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw=="}},
            text("hi"),
            text("Be brief."),
        ]},
        {"role": "assistant", "content": [
            thinking,
            text("Look."),
            call("a", json!({"path": "x"})),
            redacted,
            call(&id, json!({})),
            call("c", json!({"invalid_arguments": "{oops"})),
        ]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "a", "content": "1"},
            {"type": "tool_result", "tool_use_id": id, "content": "It failed without a message.", "is_error": true},
            {"type": "tool_result", "tool_use_id": "c"},
            text("And?"),
        ]},
        {"role": "assistant", "content": [thinking, redacted, text("Done.")]},
        {"role": "user", "content": [text("Thanks.")]},
    ]);
    assert_eq!(sent["messages"], expected);
    assert_eq!(sent["system"], "You are helpful.");
    let schema = &tools()[0].parameters;
    assert_eq!(sent["tools"], json!([{"name": "read_file", "description": "Reads a file.", "input_schema": schema}]));
    let sent = body("claude-opus-4-7", &request).to_string();
    assert!(!sent.contains("redacted_thinking"), "another model's thoughts");
}

#[test]
fn what_is_not_asked_for_is_not_sent() {
    let plain = ChatRequest { system: "".into(), ..request(vec![user("hi")]) };
    let sent = body("claude-sonnet-4-5", &plain);
    let expected = json!({
        "model": "claude-sonnet-4-5",
        "max_tokens": 64_000,
        "stream": true,
        "cache_control": {"type": "ephemeral"},
        "messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}]}],
    });
    assert_eq!(sent, expected);
}

#[test]
fn the_limit_is_the_users_or_the_models_or_a_safe_one() {
    let limited = |limit| ChatRequest {
        options: ModelOptions { max_completion_tokens: limit, ..ModelOptions::default() },
        ..request(vec![user("hi")])
    };
    assert_eq!(body("claude-sonnet-4-5", &limited(Some(99)))["max_tokens"], 99);
    assert_eq!(body("unheard-of", &limited(None))["max_tokens"], 8_192);
    let mut settings = settings(NOWHERE);
    settings.models.insert("x".into(), ModelSettings { output_limit: Some(777), ..ModelSettings::default() });
    let prepared = providers(settings, &keys(&[])).model("lab/x").unwrap().prepare(&limited(None)).unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&prepared.body).unwrap()["max_tokens"], 777);
}

#[test]
fn each_generation_is_asked_to_think_in_its_own_way() {
    let asked = |name: &str, effort: Option<&str>| {
        let options = ModelOptions { reasoning_effort: effort.map(str::to_owned), ..ModelOptions::default() };
        let sent = body(name, &ChatRequest { options, ..request(vec![user("hi")]) });
        (sent["thinking"].clone(), sent["output_config"].clone())
    };
    let budget = |tokens: u64| json!({"type": "enabled", "budget_tokens": tokens});
    let adaptive = || json!({"type": "adaptive", "display": "summarized"});
    let bound = json!({
        "type": "adaptive", "display": "summarized", "block_binding": {"prefix_mismatch_behavior": "drop_block"},
    });
    let effort = |word: &str| json!({"effort": word});
    for (name, asked_for, expected) in [
        ("claude-3-5-sonnet-20241022", Some("high"), (Value::Null, Value::Null)),
        ("claude-sonnet-4-5", Some("low"), (budget(4_096), Value::Null)),
        ("claude-sonnet-4-5", Some("high"), (budget(32_000), Value::Null)),
        ("claude-sonnet-4-5", Some("minimal"), (Value::Null, Value::Null)),
        ("claude-opus-4-7", None, (Value::Null, Value::Null)),
        ("claude-opus-4-7", Some("medium"), (adaptive(), effort("medium"))),
        ("claude-sonnet-5", None, (adaptive(), Value::Null)),
        ("claude-opus-5-5", Some("minimal"), (bound, effort("low"))),
    ] {
        assert_eq!(asked(name, asked_for), expected, "{name} {asked_for:?}");
    }
}

#[test]
fn a_schema_is_sent_as_the_format_of_the_answer_or_in_words() {
    let options = ModelOptions {
        output_schema: Some(json!({"type": "object", "properties": {"n": {"type": "integer"}}})),
        reasoning_effort: Some("high".into()),
        ..ModelOptions::default()
    };
    let request = ChatRequest { options, ..request(vec![user("hi")]) };
    let sent = body("claude-opus-4-6", &request);
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "additionalProperties": false});
    let expected = json!({"effort": "high", "format": {"type": "json_schema", "schema": schema}});
    assert_eq!((&sent["output_config"], &sent["system"]), (&expected, &json!("You are helpful.")));
    let sent = body("claude-opus-4-1", &request);
    assert_eq!(sent["output_config"], Value::Null);
    let system = sent["system"].as_str().unwrap();
    assert!(system.starts_with("You are helpful.") && system.contains(r#"{"n":{"type":"integer"}}"#), "{system}");
}

#[tokio::test]
async fn the_key_and_the_version_are_in_their_headers() {
    let server = ScriptedServer::start(vec![answer(&[text("ok")], "end_turn")]).unwrap();
    for name in ["claude-sonnet-4-5", "claude-opus-5-5"] {
        let (heard, fault) = ask(&*model(&server.url(), name), &request(vec![user("hi")])).await;
        assert_eq!((said(&heard).as_str(), fault), ("ok", None));
    }
    let sent = server.requests();
    for request in &sent {
        assert_eq!(request.path, "/v1/messages");
        assert_eq!((request.header("x-api-key"), request.header("authorization")), (Some(KEY), None));
        assert_eq!(request.header("anthropic-version"), Some("2023-06-01"));
    }
    let beta = |at: usize| sent[at].header("anthropic-beta");
    assert_eq!((beta(0), beta(1)), (None, Some("thinking-binding-controls-2026-08-01")));
}

#[tokio::test]
async fn an_answer_is_the_same_in_pieces_of_one_byte_of_seven_and_whole() {
    let blocks = [
        json!({"type": "thinking", "thinking": "größer", "signature": "s"}),
        text("Grüße, 世界 🌍!"),
        tool_use("toolu_1"),
        tool_use("toolu_2"),
    ];
    let turn = || answer(&blocks, "tool_use");
    let mut heard = Vec::new();
    for script in [Script::new(vec![turn()]).chunk(1), Script::new(vec![turn()]).chunk(7), Script::new(vec![turn()])] {
        let server = script.start().unwrap();
        let model = model(&server.url(), "claude-sonnet-4-5");
        let (events, fault) = ask(&*model, &request(vec![user("hi")])).await;
        assert_eq!(fault, None);
        heard.push(events);
    }
    assert_eq!(
        (said(&heard[0]).as_str(), text_of(&heard[0], TokenType::LlmThinking).as_str()),
        ("Grüße, 世界 🌍!", "größer")
    );
    let made = ("read_file", r#"{"path":"a"}"#);
    assert_eq!(calls(&heard[0]), [made, made]);
    assert_eq!(heard[0], heard[1]);
    assert_eq!(heard[0], heard[2]);
    let Some(StreamEvent::Metadata { usage: Some(usage), .. }) = heard[0].iter().rev().nth(1) else { panic!() };
    assert_eq!((usage.prompt_tokens, usage.completion_tokens, usage.total_tokens), (90, 10, 100));
    assert_eq!((usage.cached_tokens, usage.cache_write_tokens, usage.reasoning_tokens), (40, 0, 4));
    // 50 at 3, 40 at 0.3, 10 at 15 dollars a million.
    assert!((usage.cost_usd.unwrap() - 312e-6).abs() < 1e-12, "{usage:?}");
}

#[tokio::test]
async fn a_server_that_does_not_stream_says_the_same() {
    let whole = json!({
        "type": "message",
        "role": "assistant",
        "content": [{"type": "thinking", "thinking": "hm", "signature": "s"}, text("ok"), tool_use("toolu_1")],
        "stop_reason": "tool_use",
        "usage": {"input_tokens": 3, "output_tokens": 2},
    });
    let (heard, fault) = hear(Turn::json(200, whole)).await;
    assert_eq!((said(&heard).as_str(), fault), ("ok", None));
    assert_eq!(calls(&heard), [("read_file", r#"{"path":"a"}"#)]);
    assert!(heard.iter().any(|event| matches!(event, StreamEvent::Reasoning(_))));
    assert_eq!(finish_reason(&heard), Some(FinishReason::ToolCalls));
}

#[tokio::test]
async fn stop_reasons_have_their_meaning() {
    for (reason, blocks, expected) in [
        ("end_turn", vec![text("a")], FinishReason::Stop),
        ("stop_sequence", vec![text("a")], FinishReason::Stop),
        ("tool_use", vec![tool_use("t")], FinishReason::ToolCalls),
        ("end_turn", vec![tool_use("t")], FinishReason::ToolCalls),
        ("max_tokens", vec![text("a")], FinishReason::Length),
        ("model_context_window_exceeded", vec![text("a")], FinishReason::Length),
        ("refusal", vec![text("a"), tool_use("t")], FinishReason::ContentFilter),
        ("pause_turn", vec![text("a")], FinishReason::Other),
    ] {
        let (heard, fault) = hear(answer(&blocks, reason)).await;
        assert_eq!((finish_reason(&heard), fault), (Some(expected), None), "{reason}");
        assert_eq!(calls(&heard).is_empty(), expected != FinishReason::ToolCalls, "{reason}");
    }
}

#[tokio::test]
async fn an_answer_without_its_last_event_is_whole_once_it_has_a_reason() {
    let started = json!({"type": "message_start", "message": {"usage": {"input_tokens": 7, "output_tokens": 1}}});
    let part = json!({"type": "content_block_start", "index": 0, "content_block": text("half")});
    let finish = json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}});
    let (heard, fault) = hear(Turn::stream(events(&[started.clone(), part.clone(), finish]))).await;
    assert_eq!((said(&heard).as_str(), fault), ("half", None));
    let (heard, fault) = hear(Turn::stream(events(&[started, part]))).await;
    assert!(fault.unwrap().is(Code::PROVIDER_STREAM_CUT));
    let Some(StreamEvent::Metadata { finish_reason: None, usage: Some(usage) }) = heard.last() else {
        panic!("{heard:?}")
    };
    assert_eq!(usage.prompt_tokens, 7);
}

#[tokio::test]
async fn errors_are_told_apart_by_status_and_inside_a_stream() {
    let error = |kind: &str, words: &str| json!({"type": "error", "error": {"type": kind, "message": words}});
    for (status, kind, words, code) in [
        (400, "invalid_request_error", "max_tokens: too small", Code::PROVIDER_BAD_REQUEST),
        (400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum", Code::CONTEXT_TOO_LONG),
        (400, "invalid_request_error", "Your credit balance is too low to access the API.", Code::PROVIDER_NO_CREDIT),
        (400, "invalid_request_error", "You have reached your specified API usage limits.", Code::PROVIDER_NO_CREDIT),
        (401, "authentication_error", "invalid x-api-key", Code::KEY_REFUSED),
        (402, "billing_error", "no", Code::PROVIDER_NO_CREDIT),
        (403, "permission_error", "no", Code::KEY_REFUSED),
        (404, "not_found_error", "model: claude-9", Code::MODEL_NOT_FOUND),
        (413, "request_too_large", "Request exceeds the maximum size", Code::CONTEXT_TOO_LONG),
        (429, "rate_limit_error", "no", Code::PROVIDER_RATE_LIMITED),
        (500, "api_error", "no", Code::PROVIDER_FAILED),
        (504, "timeout_error", "no", Code::PROVIDER_TIMEOUT),
        (529, "overloaded_error", "Overloaded", Code::PROVIDER_FAILED),
    ] {
        let begun = json!({"type": "message_start", "message": {"usage": {"input_tokens": 7}}});
        let inside = Turn::stream(events(&[begun, error(kind, words)]));
        for turn in [Turn::json(status, error(kind, words)), inside] {
            let fault = hear(turn).await.1.unwrap();
            assert!(fault.is(code), "{status} {kind}: {fault:?}");
            assert!(fault.message.contains(words), "{fault:?}");
        }
    }
    assert!(retryable(&hear(Turn::json(529, error("overloaded_error", "x"))).await.1.unwrap()));
}

#[tokio::test]
async fn garbage_is_a_bad_answer() {
    let unbegun = json!({"type": "content_block_delta", "index": 3, "delta": {"type": "text_delta", "text": "a"}});
    let cases = [
        Turn::stream("data: hello\n\n"),
        Turn::stream(events(&[unbegun])),
        Turn::stream("data: {\"choices\": []}\n\n"),
        Turn::json(200, json!({"hello": "world"})),
    ];
    for turn in cases {
        let fault = hear(turn).await.1.unwrap();
        assert!(fault.is(Code::PROVIDER_BAD_ANSWER) && !retryable(&fault), "{fault:?}");
    }
}

/// Plays the model's and the tools' part until there have been that many turns.
async fn run(server: &ScriptedServer, turns: usize) {
    let model = model(&server.url(), "claude-opus-4-6");
    let mut request = ChatRequest { tools: tools(), ..request(vec![user("grüße")]) };
    for turn in 0..turns {
        let (events, fault) = ask(&*model, &request).await;
        assert_eq!(fault, None);
        let reasoning = events.iter().find_map(|event| match event {
            StreamEvent::Reasoning(reasoning) => Some(reasoning.clone()),
            _ => None,
        });
        assert!(reasoning.is_some());
        // Given anew, as the loop does where a model repeats itself.
        let calls = tool_requests(&events).into_iter().cloned().enumerate();
        let calls = calls.map(|(at, call)| ToolRequest { call_id: format!("call_{turn}_{at}").into(), ..call });
        let calls: Vec<ToolRequest> = calls.collect();
        let results: Vec<Message> = calls.iter().map(|call| result(call.call_id.as_str(), "line", false)).collect();
        let said = Message::ToolRequest { content: said(&events), thoughts: None, reasoning, calls };
        Arc::make_mut(&mut request.messages).push(Arc::new(said));
        Arc::make_mut(&mut request.messages).extend(results.into_iter().map(Arc::new));
    }
}

#[tokio::test]
async fn over_a_hundred_turns_each_request_continues_the_one_before_byte_for_byte() {
    let thinking = json!({"type": "thinking", "thinking": "hm ü", "signature": "sig"});
    let blocks = [thinking.clone(), text("I read."), tool_use("toolu_1"), tool_use("toolu_2")];
    let server = ScriptedServer::start(vec![answer(&blocks, "tool_use")]).unwrap();
    run(&server, 100).await;
    let requests = server.requests();
    assert_eq!(requests.len(), 100);
    for pair in requests.windows(2) {
        let before = pair[0].body.strip_suffix(b"]}").unwrap();
        assert!(pair[1].body.starts_with(before) && pair[1].body.len() > before.len());
    }
    let messages = requests[99].json["messages"].as_array().unwrap();
    assert_eq!(messages.len(), 199);
    for (at, message) in messages.iter().enumerate() {
        assert_eq!(message["role"], if at % 2 == 0 { "user" } else { "assistant" });
        if at % 2 == 1 {
            assert_eq!(message["content"][0], thinking, "unchanged and before the calls");
            let ids = |at: usize, key: &str| [0, 1].map(|n| messages[at]["content"][n + 2 * (at % 2)][key].clone());
            assert!(messages.get(at + 1).is_none_or(|_| ids(at, "id") == ids(at + 1, "tool_use_id")));
        }
    }
}

#[test]
fn what_the_user_says_twice_is_one_entry_and_the_bytes_do_not_depend_on_what_was_prepared_before() {
    let shared = model(NOWHERE, "claude-opus-4-6");
    let said = |content: &str| Message::Assistant { content: content.into(), thoughts: None, reasoning: None };
    let requests = [
        request(vec![user("a")]),
        request(vec![user("a"), user("b")]),
        request(vec![user("a"), user("b"), said("c")]),
        request(vec![user("a"), user("b"), said("c"), said("d"), user("e")]),
        request(vec![user("a"), user("b")]),
    ];
    for request in &requests {
        let fresh = model(NOWHERE, "claude-opus-4-6").prepare(request).unwrap();
        let grown = shared.prepare(request).unwrap();
        assert_eq!((&grown.body, &grown.request_hash), (&fresh.body, &fresh.request_hash));
    }
    let sent = body("claude-opus-4-6", &requests[3]);
    let expected = json!([
        {"role": "user", "content": [text("a"), text("b")]},
        {"role": "assistant", "content": [text("c"), text("d")]},
        {"role": "user", "content": [text("e")]},
    ]);
    assert_eq!(sent["messages"], expected);
}
