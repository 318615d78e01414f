//! What is sent.

use crate::harness::{ask, keys, model, providers, request, settings, user};
use arki_domain::{Category, ChatRequest, Image, Message, ModelOptions, ToolDefinition, ToolRequest};
use arki_llm::{ProviderKind, ProviderSettings};
use arki_testkit::{ScriptedServer, Turn};
use serde_json::{Value, json};
use std::sync::Arc;

pub(crate) fn tools() -> Arc<[ToolDefinition]> {
    let parameters = json!({"type": "object", "properties": {"path": {"type": "string"}}});
    let description = "Reads a file.".into();
    Arc::new([ToolDefinition { name: "read_file".into(), description, category: Category::Read, parameters }])
}

fn said(content: &str) -> Message {
    Message::Assistant { content: content.to_owned(), thoughts: None, reasoning: None }
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
            reasoning: None,
            calls: vec![call("a", "{\"path\": \"x\"}"), call("b", ""), call("c", "{oops")],
        },
        result("a", "1"),
        result("b", "2"),
        result("c", "3"),
        Message::Assistant { content: "Done.".into(), thoughts: None, reasoning: None },
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
        {"role": "tool", "tool_call_id": "b", "content": "2"},
        {"role": "tool", "tool_call_id": "c", "content": "3"},
        {"role": "assistant", "content": "Done."},
        {"role": "system", "content": "Rules changed."},
    ]);
    assert_eq!(sent["messages"], expected);
    let parameters = &tools()[0].parameters;
    let function = json!({"name": "read_file", "description": "Reads a file.", "parameters": parameters});
    assert_eq!(sent["tools"], json!([{"type": "function", "function": function}]));
}

#[test]
fn images_are_shown_as_data_urls_beside_the_words() {
    let image = |hash: &str| Image::new("image/png", hash);
    let shown = Message::User { content: "look".into(), images: vec![image("a"), image("a")] };
    let mute = Message::User { content: String::new(), images: vec![image("a")] };
    let images = Arc::new([("a".to_owned(), "png".into())].into());
    let request = ChatRequest { images, ..request(vec![shown, said("well"), mute]) };
    let sent = body(settings("http://127.0.0.1:9"), &request);
    let picture = json!({"type": "image_url", "image_url": {"url": "data:image/png;base64,cG5n"}});
    assert_eq!(sent["messages"][1]["content"], json!([{"type": "text", "text": "look"}, picture, picture]));
    assert_eq!(sent["messages"][3]["content"], json!([picture]));
}

#[test]
fn options_are_sent_under_the_names_the_server_knows() {
    let options = ModelOptions {
        flex: true,
        reasoning_effort: Some("low".into()),
        max_completion_tokens: Some(99),
        output_schema: None,
    };
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

fn result(call_id: &str, content: &str) -> Message {
    let (call_id, tool_id) = (call_id.into(), "read_file".into());
    Message::ToolResult { call_id, tool_id, content: content.into(), is_error: false }
}

#[test]
fn the_bytes_do_not_depend_on_what_was_prepared_before() {
    let providers = providers(settings("http://127.0.0.1:9"), &keys(&[]));
    let shared = providers.model("lab/mock").unwrap();
    let other_options = ModelOptions { flex: true, ..ModelOptions::default() };
    let requests = [
        request(vec![user("a")]),
        request(vec![user("a"), said("b")]),
        request(vec![user("a")]),
        ChatRequest { options: other_options, ..request(vec![user("a"), said("b")]) },
        ChatRequest { tools: tools(), ..request(vec![user("a"), said("b")]) },
        ChatRequest { system: "".into(), ..request(vec![user("a")]) },
        request(vec![user("c")]),
    ];
    for request in &requests {
        let fresh = providers.model("lab/mock").unwrap().prepare(request).unwrap();
        // Held while the next is prepared, so that growing in place would show.
        let (first, again) = (shared.prepare(request).unwrap(), shared.prepare(request).unwrap());
        assert_eq!((&first.body, &first.request_hash), (&fresh.body, &fresh.request_hash));
        assert_eq!(again.body, fresh.body);
        // So that whoever sees the request can count them: for this API the system prompt is one of them.
        let body: Value = serde_json::from_slice(&fresh.body).unwrap();
        assert_eq!(fresh.message_count, body["messages"].as_array().unwrap().len());
    }
}

/// Turn by turn, as a conversation grows, and with calls, results and messages that are not as they should be.
#[test]
fn a_request_that_grows_is_what_it_would_be_at_once() {
    let calls = |ids: &[&str]| {
        let call =
            |id: &&str| ToolRequest { call_id: (*id).into(), tool_id: "read_file".into(), arguments: "{}".into() };
        let calls = ids.iter().map(call).collect();
        Message::ToolRequest { content: String::new(), thoughts: None, reasoning: None, calls }
    };
    let said = |text: &str| Message::Assistant { content: text.into(), thoughts: None, reasoning: None };
    let conversation = vec![
        result("z", "of no call"),
        user("a"),
        calls(&["1", "2"]),
        result("2", "second"),
        result("1", "first"),
        calls(&["3"]),
        user("without its result"),
        result("3", "too late"),
        user(""),
        said("b"),
        calls(&["4", "5"]),
        result("5", "fifth"),
        user("c"),
        said("d"),
    ];
    let providers = providers(settings("http://127.0.0.1:9"), &keys(&[]));
    for step in 1..4 {
        let shared = providers.model("lab/mock").unwrap();
        for length in (2..=conversation.len()).step_by(step) {
            let request = request(conversation[..length].to_vec());
            let fresh = providers.model("lab/mock").unwrap().prepare(&request).unwrap();
            let grown = shared.prepare(&request).unwrap();
            assert_eq!((&grown.body, &grown.request_hash), (&fresh.body, &fresh.request_hash), "{length}");
        }
    }
    // A call that was settled without its result, and now has one.
    let shared = providers.model("lab/mock").unwrap();
    shared.prepare(&request(conversation[..7].to_vec())).unwrap();
    let answered = [&conversation[..6], &[result("3", "in time"), user("e")]].concat();
    let fresh = providers.model("lab/mock").unwrap().prepare(&request(answered.clone())).unwrap();
    assert_eq!(shared.prepare(&request(answered)).unwrap().body, fresh.body);
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
