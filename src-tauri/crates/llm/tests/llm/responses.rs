//! OpenAI's Responses: what is sent, what comes back, and what of it is sent again.

use crate::harness::{KEY, ask, calls, keys, providers, request, said, text_of, tool_requests, user};
use arki_domain::{
    Category, ChatModel, ChatRequest, Code, Error, FinishReason, Image, Message, ModelOptions, Reasoning, StreamEvent,
    TokenType, ToolDefinition, ToolRequest, Usage, sha256_hex,
};
use arki_llm::{ProviderKind, ProviderSettings};
use arki_testkit::{Script, ScriptedServer, Turn};
use bytes::Bytes;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Known to reason.
const MODEL: &str = "lab/gpt-5.1";
const NOWHERE: &str = "http://127.0.0.1:9/v1";

fn model(url: &str, reference: &str) -> Arc<dyn ChatModel> {
    let base_url = Some(url.to_owned());
    let settings = ProviderSettings { base_url, ..ProviderSettings::new("lab", ProviderKind::Openai) };
    providers(settings, &keys(&[KEY])).model(reference).unwrap()
}

fn body(reference: &str, request: &ChatRequest) -> Value {
    serde_json::from_slice(&model(NOWHERE, reference).prepare(request).unwrap().body).unwrap()
}

fn input(messages: Vec<Message>) -> Value {
    body(MODEL, &request(messages))["input"].take()
}

async fn of(turn: Turn) -> (Vec<StreamEvent>, Option<Error>) {
    let server = ScriptedServer::start(vec![turn]).unwrap();
    ask(&*model(&server.url(), MODEL), &request(vec![user("hi")])).await
}

fn tools() -> Arc<[ToolDefinition]> {
    let parameters = json!({"type": "object", "properties": {"path": {"type": "string"}}});
    let description = "Reads a file.".into();
    Arc::new([ToolDefinition { name: "read_file".into(), description, category: Category::Read, parameters }])
}

fn call(id: &str, name: &str, arguments: &str) -> ToolRequest {
    ToolRequest { call_id: id.into(), tool_id: name.into(), arguments: arguments.into() }
}

fn result(call_id: &str, content: &str) -> Message {
    let (call_id, tool_id) = (call_id.into(), "read_file".into());
    Message::ToolResult { call_id, tool_id, content: content.into(), is_error: false }
}

fn answer(content: &str, reasoning: Option<Reasoning>) -> Message {
    Message::Assistant { content: content.into(), thoughts: None, reasoning }
}

fn calling(content: &str, reasoning: Option<Reasoning>, calls: Vec<ToolRequest>) -> Message {
    Message::ToolRequest { content: content.into(), thoughts: Some("hm".into()), reasoning, calls }
}

fn spoken(text: &str) -> Value {
    json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text, "annotations": []}]})
}

fn stream(events: &[Value]) -> Turn {
    let event = |event: &Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default());
    Turn::stream(events.iter().map(event).collect::<String>())
}

fn thought(number: usize) -> Value {
    json!({"type": "reasoning", "id": format!("rs_{number}"), "encrypted_content": format!("gAAA{number}="),
        "summary": [{"type": "summary_text", "text": "hm"}]})
}

fn message(number: usize, text: &str) -> Value {
    json!({"type": "message", "id": format!("msg_{number}"), "role": "assistant", "status": "completed",
        "phase": "commentary", "content": [{"type": "output_text", "text": text, "annotations": []}]})
}

fn function_call(number: usize, id: &str, arguments: &str) -> Value {
    json!({"type": "function_call", "id": format!("fc_{number}{id}"), "call_id": id, "name": "read_file",
        "arguments": arguments, "status": "completed"})
}

fn usage() -> Value {
    json!({"input_tokens": 100, "input_tokens_details": {"cached_tokens": 40}, "output_tokens": 10,
        "output_tokens_details": {"reasoning_tokens": 4}, "total_tokens": 110})
}

/// A turn that thinks, speaks and calls twice at once; its calls have the same ids in every turn.
fn turn(number: usize) -> Turn {
    let items = [
        thought(number),
        message(number, "Grüße, 世界 🌍!"),
        function_call(number, "call_a", "{\"path\":\"ä.txt\"}"),
        function_call(number, "call_b", "{}"),
    ];
    let item = |kind: &str, index: usize, item: &Value| json!({"type": kind, "output_index": index, "item": item});
    let delta = |kind: &str, index: usize, delta: &str| json!({"type": kind, "output_index": index, "delta": delta});
    let mut begun = items.clone();
    begun[1]["content"] = json!([]);
    begun[2]["arguments"] = json!("");
    begun[3]["arguments"] = json!("");
    stream(&[
        json!({"type": "response.created", "response": {"object": "response", "status": "in_progress", "error": null}}),
        item("response.output_item.added", 0, &begun[0]),
        delta("response.reasoning_summary_text.delta", 0, "hm"),
        item("response.output_item.done", 0, &items[0]),
        item("response.output_item.added", 1, &begun[1]),
        delta("response.output_text.delta", 1, "Grüße, 世"),
        delta("response.output_text.delta", 1, "界 🌍!"),
        item("response.output_item.done", 1, &items[1]),
        item("response.output_item.added", 2, &begun[2]),
        item("response.output_item.added", 3, &begun[3]),
        delta("response.function_call_arguments.delta", 2, "{\"path\":"),
        delta("response.function_call_arguments.delta", 3, "{}"),
        delta("response.function_call_arguments.delta", 2, "\"ä.txt\"}"),
        item("response.output_item.done", 3, &items[3]),
        item("response.output_item.done", 2, &items[2]),
        json!({"type": "response.completed", "response": {"object": "response", "status": "completed", "error": null,
            "output": items, "usage": usage()}}),
    ])
}

fn reasoning(events: &[StreamEvent]) -> Option<Reasoning> {
    let found = events.iter().find(|event| matches!(event, StreamEvent::Reasoning(_)))?;
    if let StreamEvent::Reasoning(reasoning) = found { Some(reasoning.clone()) } else { None }
}

fn metadata(events: &[StreamEvent]) -> (Option<FinishReason>, Option<Usage>) {
    let found = events.iter().find_map(|event| match event {
        StreamEvent::Metadata { finish_reason, usage } => Some((*finish_reason, *usage)),
        _ => None,
    });
    found.unwrap()
}

#[test]
fn a_whole_conversation_in_the_vendors_words() {
    let long_id = "x".repeat(65);
    let sent = input(vec![
        user("hi"),
        calling("I look.", None, vec![call("a", "read_file", "{\"path\": \"x\"}"), call(&long_id, "a.b", "{oops")]),
        result("a", "1"),
        result(&long_id, "2"),
        answer("Done.", None),
        Message::System { content: "Rules changed.".into() },
    ]);
    let short_id = format!("call_{}", &sha256_hex(long_id.as_bytes())[..32]);
    let expected = json!([
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]},
        spoken("I look."),
        {"type": "function_call", "call_id": "a", "name": "read_file", "arguments": "{\"path\": \"x\"}"},
        {"type": "function_call", "call_id": short_id, "name": "a_b", "arguments": "{\"invalid_arguments\":\"{oops\"}"},
        {"type": "function_call_output", "call_id": "a", "output": "1"},
        {"type": "function_call_output", "call_id": short_id, "output": "2"},
        spoken("Done."),
        {"type": "message", "role": "system", "content": [{"type": "input_text", "text": "Rules changed."}]},
    ]);
    assert_eq!(sent, expected);
}

#[test]
fn images_are_sent_as_data_urls() {
    let image = Image::new("image/png", "h");
    let mut request = request(vec![Message::User { content: "see".into(), images: vec![image] }]);
    request.images = Arc::new(BTreeMap::from([("h".to_owned(), Bytes::from_static(b"png"))]));
    let expected = json!([
        {"type": "input_text", "text": "see"},
        {"type": "input_image", "image_url": "data:image/png;base64,cG5n", "detail": "auto"},
    ]);
    assert_eq!(body(MODEL, &request)["input"][0]["content"], expected);
}

#[test]
fn what_stands_before_the_conversation() {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
    let options = ModelOptions {
        flex: true,
        reasoning_effort: Some("low".into()),
        max_completion_tokens: Some(99),
        output_schema: Some(schema.clone()),
    };
    let request = ChatRequest { tools: tools(), options, ..request(vec![user("hi")]) };
    let mut sent = body("lab/unheard-of", &request);
    sent.as_object_mut().unwrap().remove("input");
    let key = sent.as_object_mut().unwrap().remove("prompt_cache_key").unwrap();
    assert_eq!(key.as_str().unwrap().len(), 32);
    let expected = json!({
        "model": "unheard-of", "stream": true, "store": false, "instructions": "You are helpful.",
        "include": ["reasoning.encrypted_content"], "reasoning": {"effort": "low", "summary": "auto"},
        "max_output_tokens": 99, "service_tier": "flex", "parallel_tool_calls": true,
        "text": {"format": {"type": "json_schema", "name": "answer", "schema": schema, "strict": false}},
        "tools": [{"type": "function", "name": "read_file", "description": "Reads a file.",
            "parameters": tools()[0].parameters, "strict": false}],
    });
    assert_eq!(sent, expected);
}

#[test]
fn only_models_that_reason_are_asked_to() {
    let request = request(vec![user("hi")]);
    let thinks = body(MODEL, &request);
    assert_eq!(thinks["reasoning"], json!({"summary": "auto"}));
    assert_eq!(thinks["include"], json!(["reasoning.encrypted_content"]));
    let plain = body("lab/gpt-4o", &request);
    let mut fields: Vec<&String> = plain.as_object().unwrap().keys().collect();
    fields.sort();
    assert_eq!(fields, ["input", "instructions", "model", "prompt_cache_key", "store", "stream"]);
}

#[test]
fn reasoning_goes_back_in_its_place_and_only_to_its_model() {
    let items = json!([
        {"type": "message", "id": "msg_1", "phase": "commentary", "bytes": 9},
        {"type": "reasoning", "id": "rs_1", "encrypted_content": "gA=", "summary": []},
        {"type": "function_call", "id": "fc_a"},
        {"type": "function_call"},
        {"type": "reasoning", "id": "rs_2", "encrypted_content": "gB=", "summary": []},
        {"type": "message", "id": "msg_2", "bytes": 5},
        {"type": "reasoning", "id": "rs_3", "encrypted_content": "gC=", "summary": []},
    ]);
    let kept = Reasoning { format: "openai-responses".into(), model: MODEL.into(), items };
    let turn = |content: &str, reasoning: Reasoning| {
        let calls = vec![call("changed", "read_file", "{}"), call("b", "read_file", "{}")];
        let sent = input(vec![calling(content, Some(reasoning), calls), result("changed", "1"), result("b", "2")]);
        sent.as_array().unwrap().iter().filter(|item| item["type"] != "function_call_output").cloned().collect()
    };
    let said = |id: &str, text: &str, phase: Option<&str>| {
        let mut message = spoken(text);
        message["id"] = json!(id);
        message["status"] = json!("completed");
        if let Some(phase) = phase {
            message["phase"] = json!(phase);
        }
        message
    };
    let called = |id: Option<&str>, call_id: &str| {
        let mut call = json!({"type": "function_call", "call_id": call_id, "name": "read_file", "arguments": "{}"});
        if let Some(id) = id {
            call["id"] = json!(id);
        }
        call
    };
    let expected: Vec<Value> = vec![
        said("msg_1", "I look.", Some("commentary")),
        json!({"type": "reasoning", "id": "rs_1", "encrypted_content": "gA=", "summary": []}),
        called(Some("fc_a"), "changed"),
        called(None, "b"),
        json!({"type": "reasoning", "id": "rs_2", "encrypted_content": "gB=", "summary": []}),
        said("msg_2", "Done.", None),
    ];
    assert_eq!(turn("I look.\n\nDone.", kept.clone()), expected, "reasoning that nothing follows is left out");

    let plain = vec![spoken("I look.\n\nDone."), called(None, "changed"), called(None, "b")];
    for other in [
        Reasoning { model: "lab/gpt-5".into(), ..kept.clone() },
        Reasoning { model: "other/gpt-5.1".into(), ..kept.clone() },
        Reasoning { format: "other".into(), ..kept.clone() },
        Reasoning { items: json!("damaged"), ..kept.clone() },
    ] {
        assert_eq!(turn("I look.\n\nDone.", other), plain);
    }

    let redacted: Vec<Value> = turn("I look at [redacted].\n\nDone.", kept);
    assert_eq!(
        redacted[0]["content"][0]["text"], "I look at [redacted].\n\nDone.",
        "nothing is cut at the wrong place"
    );
    assert_eq!(redacted.len(), 4, "{redacted:?}");
}

#[tokio::test]
async fn a_turn_is_the_same_in_chunks_of_one_byte_of_seven_and_whole() {
    let mut answers = Vec::new();
    for script in [Script::new(vec![turn(0)]).chunk(1), Script::new(vec![turn(0)]).chunk(7), Script::new(vec![turn(0)])]
    {
        let server = script.start().unwrap();
        let (events, fault) = ask(&*model(&server.url(), MODEL), &request(vec![user("hi")])).await;
        assert_eq!(fault, None);
        answers.push(events);
        let sent = &server.requests()[0];
        let authorization = format!("Bearer {KEY}");
        assert_eq!((sent.path.as_str(), sent.header("authorization")), ("/v1/responses", Some(&*authorization)));
    }
    assert_eq!((said(&answers[0]).as_str(), &*text_of(&answers[0], TokenType::LlmThinking)), ("Grüße, 世界 🌍!", "hm"));
    assert_eq!(calls(&answers[0]), [("read_file", "{\"path\":\"ä.txt\"}"), ("read_file", "{}")]);
    let (finish_reason, usage) = metadata(&answers[0]);
    let usage = usage.unwrap();
    assert_eq!(finish_reason, Some(FinishReason::ToolCalls));
    assert_eq!((usage.prompt_tokens, usage.cached_tokens, usage.reasoning_tokens), (100, 40, 4));
    assert!(usage.cost_usd.is_some_and(|cost| cost > 0.0), "the catalogue knows its price");
    assert_eq!(answers[0], answers[1]);
    assert_eq!(answers[0], answers[2]);
}

#[tokio::test]
async fn over_a_hundred_turns_each_request_continues_the_one_before_byte_for_byte() {
    const TURNS: usize = 100;
    let server = Script::new((0..TURNS).map(turn).collect()).sequential().start().unwrap();
    let model = model(&server.url(), MODEL);
    let mut request = ChatRequest { tools: tools(), ..request(vec![user("grüße")]) };
    let mut hashes = Vec::new();
    for number in 0..TURNS {
        hashes.push(model.prepare(&request).unwrap().request_hash);
        let (events, fault) = ask(&*model, &request).await;
        assert_eq!(fault, None);
        // As the agent does it with ids that were there before.
        let mut calls: Vec<ToolRequest> = tool_requests(&events).into_iter().cloned().collect();
        calls.iter_mut().for_each(|call| call.call_id = format!("{}_{number}", call.call_id.as_str()).into());
        let results: Vec<Message> = calls.iter().map(|call| result(call.call_id.as_str(), "line\n")).collect();
        Arc::make_mut(&mut request.messages).push(Arc::new(calling(&said(&events), reasoning(&events), calls)));
        Arc::make_mut(&mut request.messages).extend(results.into_iter().map(Arc::new));
    }
    let requests = server.requests();
    assert_eq!(requests.len(), TURNS);
    for pair in requests.windows(2) {
        let before = pair[0].body.strip_suffix(b"]}").unwrap();
        assert!(pair[1].body.starts_with(before) && pair[1].body.len() > before.len());
    }
    for (request, hash) in requests.iter().zip(hashes) {
        assert_eq!(sha256_hex(&request.body), hash);
    }
    let sent = requests[TURNS - 1].json["input"].as_array().unwrap();
    assert_eq!(sent.len(), 1 + (TURNS - 1) * 6);
    for (number, items) in sent[1..].chunks(6).enumerate() {
        assert_eq!(items[0], thought(number), "unchanged");
        assert_eq!(items[1], message(number, "Grüße, 世界 🌍!"));
        for (at, id) in [(2, "call_a"), (3, "call_b")] {
            assert_eq!(items[at]["id"], json!(format!("fc_{number}{id}")));
            assert_eq!(items[at]["call_id"], json!(format!("{id}_{number}")));
            assert_eq!(items[at + 2]["call_id"], items[at]["call_id"]);
        }
    }
}

#[tokio::test]
async fn a_server_that_does_not_stream_is_understood() {
    let items = json!([thought(1), message(1, "Yes."), function_call(1, "call_a", "{}")]);
    let body = json!({"object": "response", "status": "completed", "error": null, "output": items, "usage": usage()});
    let (events, fault) = of(Turn::json(200, body)).await;
    assert_eq!(fault, None);
    assert_eq!((said(&events).as_str(), &*text_of(&events, TokenType::LlmThinking)), ("Yes.", "hm"));
    assert_eq!(calls(&events), [("read_file", "{}")]);
    assert!(reasoning(&events).is_some());
    assert_eq!(metadata(&events).0, Some(FinishReason::ToolCalls));

    let failed = json!({"object": "response", "status": "failed", "output": [], "error": {"code": "server_error", "message": "the words"}});
    let fault = of(Turn::json(200, failed)).await.1.unwrap();
    assert!(fault.is(Code::PROVIDER_FAILED) && fault.message.contains("the words"), "{fault:?}");
    let (events, _) = of(Turn::json(
        200,
        json!({"object": "response", "status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}, "output": [message(1, "Ye")]}),
    ))
    .await;
    assert_eq!(metadata(&events).0, Some(FinishReason::Length));
    for other in [json!({"hello": "world"}), json!({"choices": []})] {
        assert!(of(Turn::json(200, other)).await.1.unwrap().is(Code::PROVIDER_BAD_ANSWER));
    }
}

#[tokio::test]
async fn the_vendors_errors_have_their_codes() {
    let error =
        |kind: &str, code: &str| json!({"error": {"message": "the words", "type": kind, "param": null, "code": code}});
    let cases = [
        (401, error("invalid_request_error", "invalid_api_key"), Code::KEY_REFUSED),
        (429, error("insufficient_quota", "insufficient_quota"), Code::PROVIDER_NO_CREDIT),
        (429, error("tokens", "rate_limit_exceeded"), Code::PROVIDER_RATE_LIMITED),
        (400, error("invalid_request_error", "model_not_found"), Code::MODEL_NOT_FOUND),
        (400, error("invalid_request_error", "context_length_exceeded"), Code::CONTEXT_TOO_LONG),
        (400, error("invalid_request_error", "content_policy_violation"), Code::CONTENT_REFUSED),
        (400, error("invalid_request_error", "unsupported_parameter"), Code::PROVIDER_BAD_REQUEST),
        (500, error("server_error", "server_error"), Code::PROVIDER_FAILED),
    ];
    for (status, body, code) in cases {
        let fault = of(Turn::json(status, body.clone())).await.1.unwrap();
        assert!(fault.is(code) && fault.message.contains("the words"), "{body}: {fault:?}");
    }
}

#[tokio::test]
async fn a_cut_anywhere_before_the_end_is_a_cut_and_makes_no_call() {
    for bytes in [0, 10, 300, 1500, 2500] {
        let (events, fault) = of(turn(0).cut_after(bytes)).await;
        assert!(fault.as_ref().unwrap().is(Code::PROVIDER_STREAM_CUT), "{bytes}: {fault:?}");
        assert_eq!((calls(&events), reasoning(&events)), (vec![], None), "{bytes}");
    }
}
