//! Gemini's own API: what is sent, what comes back, what goes wrong.

use crate::harness::{KEY, ask, calls, impatient, keys, providers, request, said, text_of, tool_requests, user};
use arki_domain::{
    Category, ChatModel, ChatRequest, Code, Error, Image, Message, ModelOptions, Reasoning, StreamEvent, TokenType,
    ToolDefinition, ToolRequest, sha256_hex,
};
use arki_llm::{ProviderKind, ProviderSettings, retryable};
use arki_testkit::{Script, ScriptedServer, Turn};
use bytes::Bytes;
use serde_json::{Value, json};
use std::sync::Arc;

const MODEL: &str = "gemini-3.8-flash";

fn model_at(url: &str, model: &str) -> Arc<dyn ChatModel> {
    let url = url.strip_suffix("/v1").unwrap_or(url);
    let settings = ProviderSettings { kind: ProviderKind::Gemini, is_local: false, ..impatient(url) };
    providers(settings, &keys(&[KEY])).model(&format!("lab/{model}")).unwrap()
}

fn sent_by(model: &str, request: &ChatRequest) -> Value {
    serde_json::from_slice(&model_at("http://127.0.0.1:9", model).prepare(request).unwrap().body).unwrap()
}

fn sent(request: &ChatRequest) -> Value {
    sent_by(MODEL, request)
}

fn contents(messages: Vec<Message>) -> Value {
    sent(&request(messages))["contents"].clone()
}

fn tools() -> Arc<[ToolDefinition]> {
    let parameters =
        json!({"type": "object", "properties": {"path": {"type": "string"}}, "additionalProperties": false});
    let tool = |name: &str, parameters| ToolDefinition {
        name: name.into(),
        description: "Reads.".into(),
        category: Category::Read,
        parameters,
    };
    Arc::new([tool("read_file", parameters), tool("now", json!({"type": "object", "properties": {}}))])
}

fn call(id: &str, arguments: &str) -> ToolRequest {
    ToolRequest { call_id: id.into(), tool_id: "read_file".into(), arguments: arguments.into() }
}

fn asked(calls: Vec<ToolRequest>, reasoning: Option<Reasoning>) -> Message {
    Message::ToolRequest { content: "I read.".into(), thoughts: Some("Hm. So.".into()), reasoning, calls }
}

fn result(call_id: &str, content: &str) -> Message {
    let (call_id, tool_id) = (call_id.into(), "read_file".into());
    Message::ToolResult { call_id, tool_id, content: content.into(), is_error: false }
}

fn reasoning(model: &str, items: Value) -> Option<Reasoning> {
    Some(Reasoning { format: "gemini".into(), model: format!("lab/{model}"), items })
}

fn chunk(parts: Value) -> Value {
    json!({"candidates": [{"content": {"role": "model", "parts": parts}}]})
}

/// With its figures.
fn last(reason: &str) -> Value {
    json!({"candidates": [{"finishReason": reason}], "usageMetadata": {"promptTokenCount": 8, "totalTokenCount": 9}})
}

fn turn(chunks: &[Value]) -> Turn {
    Turn::stream(chunks.iter().map(|chunk| format!("data: {chunk}\r\n\r\n")).collect::<String>())
}

async fn of(turn: Turn) -> (Vec<StreamEvent>, Option<Error>) {
    let server = ScriptedServer::start(vec![turn]).unwrap();
    ask(&*model_at(&server.url(), MODEL), &request(vec![user("hi")])).await
}

#[tokio::test]
async fn the_request_goes_where_and_how_gemini_wants_it() {
    let server = ScriptedServer::start(vec![turn(&[chunk(json!([{"text": "Hello"}])), last("STOP")])]).unwrap();
    let (events, fault) = ask(&*model_at(&server.url(), "models/gemini-2.5-flash"), &request(vec![user("hi")])).await;
    assert_eq!((said(&events).as_str(), fault), ("Hello", None));
    let sent = &server.requests()[0];
    assert_eq!(sent.path, "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse");
    assert_eq!((sent.header("x-goog-api-key"), sent.header("authorization")), (Some(KEY), None));
    let expected = json!({
        "systemInstruction": {"parts": [{"text": "You are helpful."}]},
        "generationConfig": {"thinkingConfig": {"includeThoughts": true}},
        "contents": [{"role": "user", "parts": [{"text": "hi"}]}],
    });
    assert_eq!(sent.json, expected);
}

#[test]
fn options_and_tools_have_their_places() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "integer"}}});
    let options = ModelOptions {
        flex: true,
        reasoning_effort: Some("low".into()),
        max_completion_tokens: Some(99),
        output_schema: Some(schema.clone()),
    };
    let request = ChatRequest { options, tools: tools(), ..request(vec![user("hi")]) };
    let body = sent(&request);
    let config = json!({"maxOutputTokens": 99, "responseMimeType": "application/json", "responseJsonSchema": schema,
        "thinkingConfig": {"includeThoughts": true, "thinkingLevel": "low"}});
    assert_eq!((&body["generationConfig"], &body["serviceTier"]), (&config, &json!("flex")));
    let declarations = json!([
        {"name": "read_file", "description": "Reads.", "parametersJsonSchema": tools()[0].parameters},
        {"name": "now", "description": "Reads."},
    ]);
    assert_eq!(body["tools"], json!([{"functionDeclarations": declarations}]));
    let older = sent_by("gemini-2.5-pro", &request);
    assert_eq!(older["generationConfig"]["thinkingConfig"], json!({"includeThoughts": true, "thinkingBudget": 1024}));
    assert_eq!(older["generationConfig"]["responseMimeType"], Value::Null, "older models refuse it beside tools");
    let system = older["systemInstruction"]["parts"][0]["text"].as_str().unwrap();
    assert!(system.starts_with("You are helpful.") && system.contains(&schema.to_string()), "{system}");
}

#[test]
fn roles_alternate_and_the_first_is_the_users() {
    let model = |text: &str| Message::Assistant { content: text.into(), thoughts: None, reasoning: None };
    let text = |text: &str| json!({"text": text});
    let sent = contents(vec![
        model("a"),
        user("b"),
        Message::System { content: "c".into() },
        user("d"),
        model("e"),
        model("f"),
        user("g"),
    ]);
    let expected = json!([
        {"role": "user", "parts": [text("(The conversation begins earlier.)")]},
        {"role": "model", "parts": [text("a")]},
        {"role": "user", "parts": [text("b"), text("c"), text("d")]},
        {"role": "model", "parts": [text("e"), text("f")]},
        {"role": "user", "parts": [text("g")]},
    ]);
    assert_eq!(sent, expected);
}

#[test]
fn images_stand_before_their_words() {
    let image = Image::new("image/png", "h");
    let look = Message::User { content: "look".into(), images: vec![image] };
    let images = Arc::new([("h".to_owned(), Bytes::from_static(b"png"))].into());
    let sent = sent(&ChatRequest { images, ..request(vec![look]) });
    let expected = json!([{"inlineData": {"mimeType": "image/png", "data": "cG5n"}}, {"text": "look"}]);
    assert_eq!(sent["contents"][0]["parts"], expected);
}

#[test]
fn signatures_and_ids_return_on_the_parts_on_which_they_came() {
    let items = json!([{"thought": 3, "signature": "T"}, {"text": 2}, {"text": 7, "signature": "S"},
        {"call": 0, "id": "g1", "signature": "C"}, {"call": 1, "id": "g2"}]);
    let calls = vec![call("renamed", "{\"path\": \"x\"}"), call("b", "{oops")];
    let answered = |id: &str, text: &str, is_error: bool| Message::ToolResult {
        call_id: id.into(),
        tool_id: "read_file".into(),
        content: text.into(),
        is_error,
    };
    let sent = contents(vec![
        user("go"),
        asked(calls, reasoning(MODEL, items)),
        answered("renamed", "1", false),
        answered("b", "no", true),
        user("on"),
    ]);
    let function = |id: &str, args: Value| json!({"id": id, "name": "read_file", "args": args});
    let model = json!([
        {"thought": true, "text": "Hm.", "thoughtSignature": "T"},
        {"text": "I "},
        {"text": "read.", "thoughtSignature": "S"},
        {"functionCall": function("g1", json!({"path": "x"})), "thoughtSignature": "C"},
        {"functionCall": function("g2", json!({"invalid_arguments": "{oops"}))},
    ]);
    assert_eq!(sent[1], json!({"role": "model", "parts": model}));
    let results = json!([
        {"functionResponse": {"id": "g1", "name": "read_file", "response": {"output": "1"}}},
        {"functionResponse": {"id": "g2", "name": "read_file", "response": {"error": "no"}}},
        {"text": "on"},
    ]);
    assert_eq!(sent[2], json!({"role": "user", "parts": results}));
    assert_eq!(sent.as_array().unwrap().len(), 3);
}

#[test]
fn what_another_model_signed_is_not_sent_back() {
    let items = json!([{"call": 0, "id": "g1", "signature": "C"}, {"call": 1, "id": "g2", "signature": "D"}]);
    let messages = |reasoning| {
        let calls = vec![call("a", "{}"), call("b", "{}")];
        vec![user("go"), asked(calls, reasoning), result("a", "1"), result("b", "2")]
    };
    let function = json!({"name": "read_file", "args": {}});
    let parts = |first: Value| json!([{"text": "I read."}, first, {"functionCall": function}]);
    let skipped = json!({"functionCall": function, "thoughtSignature": "skip_thought_signature_validator"});
    let others = [
        reasoning("gemini-3.1-pro-preview", items.clone()),
        Some(Reasoning { format: "anthropic".into(), model: format!("lab/{MODEL}"), items: items.clone() }),
        Some(Reasoning { format: "gemini".into(), model: format!("proxy/{MODEL}"), items: items.clone() }),
        reasoning(MODEL, json!("not ours")),
        None,
    ];
    for other in others {
        let sent = contents(messages(other));
        assert_eq!(sent[1]["parts"], parts(skipped.clone()));
        assert_eq!(sent[2]["parts"][0]["functionResponse"]["id"], Value::Null);
    }
    let older = sent_by("gemini-2.5-flash", &request(messages(reasoning(MODEL, items))));
    assert_eq!(older["contents"][1]["parts"], parts(json!({"functionCall": function})));
}

#[test]
fn text_that_was_redacted_since_is_sent_whole_all_the_same() {
    for items in [
        json!([{"text": 1}, {"call": 0, "signature": "C"}, {"text": 1, "signature": "S"}]),
        json!([{"text": 900, "signature": "S"}, {"call": 0}, {"call": 1}, {"call": 7}]),
        json!([{"call": 0, "signature": "C"}]),
    ] {
        let content = "größer".to_owned();
        let (thoughts, reasoning) = (None, reasoning(MODEL, items));
        let message = Message::ToolRequest { content, thoughts, reasoning, calls: vec![call("a", "{}")] };
        let sent = contents(vec![user("go"), message, result("a", "1")]);
        let parts = sent[1]["parts"].as_array().unwrap();
        let text: String = parts.iter().filter_map(|part| part["text"].as_str()).collect();
        let calls = parts.iter().filter(|part| part["functionCall"].is_object()).count();
        assert_eq!((text.as_str(), calls), ("größer", 1), "{parts:?}");
    }
}

/// Plays the model's and the tools' part, keeping what has to be sent back.
async fn run(model: &dyn ChatModel, turns: usize) -> Vec<String> {
    let mut request = ChatRequest { tools: tools(), ..request(vec![user("grüße")]) };
    let mut hashes = Vec::new();
    for turn in 0..turns {
        hashes.push(model.prepare(&request).unwrap().request_hash);
        let (events, fault) = ask(model, &request).await;
        assert_eq!(fault, None);
        let mut calls: Vec<ToolRequest> = tool_requests(&events).into_iter().cloned().collect();
        for (index, call) in calls.iter_mut().enumerate() {
            call.call_id = format!("{turn}-{index}").into();
        }
        let results: Vec<Message> = calls.iter().map(|call| result(call.call_id.as_str(), "line")).collect();
        let reasoning = events.iter().find_map(|event| match event {
            StreamEvent::Reasoning(reasoning) => Some(reasoning.clone()),
            _ => None,
        });
        let thoughts = Some(text_of(&events, TokenType::LlmThinking));
        let asked = Message::ToolRequest { content: said(&events), thoughts, reasoning, calls };
        Arc::make_mut(&mut request.messages).extend(std::iter::once(asked).chain(results).map(Arc::new));
    }
    hashes
}

#[tokio::test]
async fn over_a_hundred_turns_each_request_continues_the_one_before_byte_for_byte() {
    let answer = [
        chunk(json!([{"text": "Hm.", "thought": true}])),
        chunk(json!([{"text": "I read."}])),
        chunk(json!([
            {"functionCall": {"id": "g1", "name": "read_file", "args": {"path": "ä"}}, "thoughtSignature": "C+/="},
            {"functionCall": {"id": "g2", "name": "read_file", "args": {"path": "b"}}}])),
        last("STOP"),
    ];
    let server = Script::new(vec![turn(&answer)]).keep_alive().start().unwrap();
    let hashes = run(&*model_at(&server.url(), MODEL), 100).await;
    let journal = server.journal();
    assert_eq!((journal.requests.len(), journal.connections), (100, 1), "one connection serves them all");
    for pair in journal.requests.windows(2) {
        let before = pair[0].body.strip_suffix(b"]}").unwrap();
        assert!(pair[1].body.starts_with(before) && pair[1].body.len() > before.len());
    }
    for (request, hash) in journal.requests.iter().zip(hashes) {
        assert_eq!(sha256_hex(&request.body), hash);
    }
    let contents = journal.requests[99].json["contents"].as_array().unwrap();
    assert_eq!(contents.len(), 199);
    let first =
        json!({"functionCall": {"id": "g1", "name": "read_file", "args": {"path": "ä"}}, "thoughtSignature": "C+/="});
    assert!(contents.iter().skip(1).step_by(2).all(|content| content["parts"][1] == first), "{}", contents[1]);
    assert!(contents.iter().skip(2).step_by(2).all(|content| content["parts"][1]["functionResponse"]["id"] == "g2"));
}

#[tokio::test]
async fn the_bytes_do_not_depend_on_what_was_prepared_before() {
    let model = model_at("http://127.0.0.1:9", MODEL);
    let answer = Message::Assistant { content: "a".into(), thoughts: None, reasoning: None };
    let requests = [vec![answer.clone()], vec![user("a")], vec![answer, user("b")], vec![user("a"), user("b")]];
    for messages in requests {
        let request = request(messages);
        let fresh = model_at("http://127.0.0.1:9", MODEL).prepare(&request).unwrap().body;
        assert_eq!(model.prepare(&request).unwrap().body, fresh);
    }
}

#[tokio::test]
async fn an_answer_in_pieces_of_any_size_is_the_same() {
    let answer = [
        chunk(json!([{"text": "größer", "thought": true}])),
        chunk(json!([{"text": "世界"}, {"functionCall": {"id": "g", "name": "a", "args": {"é": [1]}}}])),
        last("STOP"),
    ];
    let mut answers = Vec::new();
    for size in [1, 7, 4096] {
        let server = Script::new(vec![turn(&answer)]).chunk(size).start().unwrap();
        answers.push(ask(&*model_at(&server.url(), MODEL), &request(vec![user("hi")])).await);
    }
    assert_eq!(calls(&answers[0].0), [("a", r#"{"é":[1]}"#)]);
    assert!(answers.iter().all(|answer| *answer == answers[0]));
}

#[tokio::test]
async fn a_list_instead_of_a_stream_is_understood() {
    let list = json!([chunk(json!([{"text": "a"}])), chunk(json!([{"text": "b"}])), last("STOP")]);
    let (events, fault) = of(Turn::json(200, list)).await;
    assert_eq!((said(&events).as_str(), fault), ("ab", None));
}

#[tokio::test]
async fn a_stream_without_a_finish_reason_is_cut_and_its_figures_are_kept() {
    let mut words = chunk(json!([{"text": "It looks finished."}]));
    words["usageMetadata"] = json!({"promptTokenCount": 7, "candidatesTokenCount": 3, "thoughtsTokenCount": 2});
    let (events, fault) = of(turn(&[words])).await;
    let fault = fault.unwrap();
    assert!(fault.is(Code::PROVIDER_STREAM_CUT) && retryable(&fault), "{fault:?}");
    let Some(StreamEvent::Metadata { finish_reason: None, usage: Some(usage) }) = events.last() else {
        panic!("{events:?}")
    };
    assert_eq!((usage.prompt_tokens, usage.completion_tokens, usage.reasoning_tokens), (7, 5, 2));
    assert!(usage.cost_usd.is_some(), "the price of {MODEL} is known");
}

#[tokio::test]
async fn silence_after_an_answer_has_begun_ends_at_its_time_out() {
    let body = format!("data: {}\n\n", chunk(json!([{"text": "a"}])));
    let length = body.len();
    let fault = of(Turn::stream(body).hang_after(length)).await.1.unwrap();
    assert!(fault.is(Code::PROVIDER_TIMEOUT), "{fault:?}");
}

#[tokio::test]
async fn a_blocked_prompt_is_refused_content_and_its_figures_are_kept() {
    let blocked =
        json!({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "usageMetadata": {"promptTokenCount": 4}});
    let (events, fault) = of(turn(&[blocked])).await;
    let fault = fault.unwrap();
    assert!(fault.is(Code::CONTENT_REFUSED) && !retryable(&fault), "{fault:?}");
    assert!(fault.message.contains("PROHIBITED_CONTENT"), "{fault:?}");
    assert!(matches!(events[..], [StreamEvent::Metadata { usage: Some(_), .. }]), "{events:?}");
}

#[tokio::test]
async fn a_malformed_call_is_a_failure_that_may_be_tried_again() {
    let finish =
        json!({"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL", "finishMessage": "print(read_file())"}]});
    let (events, fault) = of(turn(&[chunk(json!([{"functionCall": {"name": "a"}}])), finish])).await;
    let fault = fault.unwrap();
    assert!(fault.is(Code::PROVIDER_FAILED) && retryable(&fault), "{fault:?}");
    assert!(fault.message.contains("print(read_file())") && calls(&events).is_empty(), "{fault:?}");
}

#[tokio::test]
async fn errors_by_status_and_inside_a_stream_have_their_codes() {
    let error = |code: u16, status: &str, details: Value| json!({"error": {"code": code, "message": "the vendor's words", "status": status, "details": details}});
    let bad_key = json!([{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}]);
    let wait = json!([{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "2.5s"}]);
    let cases = [
        (error(400, "INVALID_ARGUMENT", bad_key), Code::KEY_REFUSED, None),
        (error(404, "NOT_FOUND", json!([])), Code::MODEL_NOT_FOUND, None),
        (error(429, "RESOURCE_EXHAUSTED", wait), Code::PROVIDER_RATE_LIMITED, Some(2_500)),
        (error(503, "UNAVAILABLE", json!([])), Code::PROVIDER_FAILED, None),
    ];
    for (body, code, wait) in cases {
        let status = body["error"]["code"].as_u64().unwrap() as u16;
        for turn in
            [Turn::json(status, body.clone()), Turn::json(status, json!([body])), turn(std::slice::from_ref(&body))]
        {
            let fault = of(turn).await.1.unwrap();
            assert!(fault.is(code) && fault.message.contains("the vendor's words"), "{code}: {fault:?}");
            assert_eq!(fault.retry_after_ms, wait, "{fault:?}");
        }
    }
}
