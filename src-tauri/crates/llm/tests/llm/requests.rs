//! What is sent.

use crate::harness::{ask, keys, model, providers, request, settings, tool_requests, user};
use arki_domain::{Category, ChatRequest, Message, ModelOptions, ToolDefinition, ToolRequest, sha256_hex};
use arki_llm::{ProviderKind, ProviderSettings};
use arki_testkit::{ScriptedServer, Turn};
use serde_json::{Value, json};
use std::sync::Arc;

fn tools() -> Arc<[ToolDefinition]> {
    let parameters = json!({"type": "object", "properties": {"path": {"type": "string"}}});
    let description = "Reads a file.".to_owned();
    Arc::new([ToolDefinition { name: "read_file", description, category: Category::Read, parameters }])
}

fn body(settings: ProviderSettings, request: &ChatRequest) -> Value {
    serde_json::from_slice(&model(settings).prepare(request).unwrap().body).unwrap()
}

#[test]
fn a_whole_conversation_in_the_vendors_words() {
    let call = |id: &str, arguments: &str| ToolRequest {
        call_id: id.into(),
        tool_id: "read_file".into(),
        arguments: arguments.into(),
    };
    let mut request = request(vec![
        user("hi"),
        Message::ToolRequest {
            content: String::new(),
            thoughts: Some("hm".into()),
            calls: vec![call("a", "{\"path\": \"x\"}"), call("b", ""), call("c", "{oops")],
        },
        Message::ToolResult { call_id: "a".into(), tool_id: "read_file".into(), content: "1".into(), is_error: false },
        Message::Assistant { content: "Done.".into(), thoughts: None },
        Message::System { content: "Rules changed.".into() },
    ]);
    request.tools = tools();
    let sent = body(settings("http://127.0.0.1:9/v1"), &request);
    let call = |id: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": "read_file", "arguments": arguments}});
    let calls =
        json!([call("a", "{\"path\": \"x\"}"), call("b", "{}"), call("c", "{\"invalid_arguments\":\"{oops\"}")]);
    let expected = json!([
        {"role": "system", "content": "You are helpful."},
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": null, "tool_calls": calls},
        {"role": "tool", "tool_call_id": "a", "content": "1"},
        {"role": "assistant", "content": "Done."},
        {"role": "system", "content": "Rules changed."},
    ]);
    assert_eq!(sent["messages"], expected);
    let parameters = &tools()[0].parameters;
    let function = json!({"name": "read_file", "description": "Reads a file.", "parameters": parameters});
    assert_eq!(sent["tools"], json!([{"type": "function", "function": function}]));
}

#[test]
fn options_are_sent_under_the_names_the_server_knows() {
    let options = ModelOptions { flex: true, reasoning_effort: Some("low".into()), max_completion_tokens: Some(99) };
    let request = ChatRequest { options, ..request(vec![user("hi")]) };
    let custom = body(settings("http://127.0.0.1:9"), &request);
    assert_eq!((&custom["max_tokens"], &custom["max_completion_tokens"]), (&json!(99), &Value::Null));
    let openai = body(ProviderSettings { kind: ProviderKind::OpenaiChat, ..settings("http://127.0.0.1:9") }, &request);
    assert_eq!((&openai["max_tokens"], &openai["max_completion_tokens"]), (&Value::Null, &json!(99)));
    for sent in [custom, openai] {
        assert_eq!((&sent["service_tier"], &sent["reasoning_effort"]), (&json!("flex"), &json!("low")));
        assert_eq!((&sent["stream"], &sent["stream_options"]), (&json!(true), &json!({"include_usage": true})));
        assert_eq!(sent["model"], "mock");
    }
}

#[test]
fn what_is_not_asked_for_is_not_sent() {
    let sent = body(settings("http://127.0.0.1:9"), &request(vec![user("hi")]));
    let mut keys: Vec<&String> = sent.as_object().unwrap().keys().collect();
    keys.sort();
    assert_eq!(keys, ["messages", "model", "stream", "stream_options"]);
}

/// Plays the model's and the tools' part until there have been that many turns.
async fn run(server: &ScriptedServer, turns: usize) -> Vec<String> {
    let model = model(settings(&server.url()));
    let mut request = ChatRequest { tools: tools(), ..request(vec![user("grüße")]) };
    let mut hashes = Vec::new();
    for _ in 0..turns {
        hashes.push(model.prepare(&request).unwrap().request_hash);
        let (events, fault) = ask(&*model, &request).await;
        assert_eq!(fault, None);
        let calls: Vec<ToolRequest> = tool_requests(&events).into_iter().cloned().collect();
        let results = calls.iter().map(|call| {
            let (call_id, tool_id) = (call.call_id.clone(), call.tool_id.clone());
            Message::ToolResult { call_id, tool_id, content: "line\n".repeat(20), is_error: false }
        });
        let results: Vec<Message> = results.collect();
        request.messages.push(Arc::new(Message::ToolRequest { content: "I read.".into(), thoughts: None, calls }));
        request.messages.extend(results.into_iter().map(Arc::new));
    }
    hashes
}

#[tokio::test]
async fn over_fifty_turns_each_request_continues_the_one_before_byte_for_byte() {
    let turn = Turn::calls().call("read_file", json!({"path": "a"})).call("read_file", json!({"path": "b"}));
    let server = ScriptedServer::start(vec![turn]).unwrap();
    let hashes = run(&server, 50).await;
    let requests = server.requests();
    assert_eq!(requests.len(), 50);
    for pair in requests.windows(2) {
        let before = pair[0].body.strip_suffix(b"]}").unwrap();
        assert!(pair[1].body.starts_with(before), "{}", String::from_utf8_lossy(&pair[1].body));
        assert!(pair[1].body.len() > before.len());
    }
    for (request, hash) in requests.iter().zip(hashes) {
        assert_eq!(sha256_hex(&request.body), hash);
        assert!(request.json["messages"].is_array(), "every body is whole JSON");
    }
}

#[test]
fn the_bytes_do_not_depend_on_what_was_prepared_before() {
    let providers = providers(settings("http://127.0.0.1:9"), &keys(&[]));
    let shared = providers.model("lab/mock").unwrap();
    let other_options = ModelOptions { flex: true, ..ModelOptions::default() };
    let requests = [
        request(vec![user("a")]),
        request(vec![user("a"), user("b")]),
        request(vec![user("a")]),
        ChatRequest { options: other_options, ..request(vec![user("a"), user("b")]) },
        ChatRequest { tools: tools(), ..request(vec![user("a"), user("b")]) },
        ChatRequest { system: "".into(), ..request(vec![user("a")]) },
        request(vec![]),
        request(vec![user("c")]),
    ];
    for request in &requests {
        let fresh = providers.model("lab/mock").unwrap().prepare(request).unwrap();
        // Held while the next is prepared, so that growing in place would show.
        let (first, again) = (shared.prepare(request).unwrap(), shared.prepare(request).unwrap());
        assert_eq!((&first.body, &first.request_hash), (&fresh.body, &fresh.request_hash));
        assert_eq!((again.body, again.message_count), (fresh.body, request.messages.len()));
    }
}

#[tokio::test]
async fn configured_headers_are_sent() {
    let server = ScriptedServer::start(vec![Turn::text("ok")]).unwrap();
    let mut settings = settings(&format!("{}/", server.url()));
    settings.headers.insert("X-Team".into(), "core".into());
    assert_eq!(ask(&*model(settings), &request(vec![user("hi")])).await.1, None);
    let sent = &server.requests()[0];
    assert_eq!((sent.path.as_str(), sent.header("x-team")), ("/v1/chat/completions", Some("core")));
    assert_eq!(sent.header("content-type"), Some("application/json"));
}
