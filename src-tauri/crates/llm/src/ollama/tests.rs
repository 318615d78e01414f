//! Tests of the requests to `/api/chat`, and of reading its lines, without a network.

use super::Ollama;
use super::response::OllamaDecoder;
use crate::answer_decoder::{AnswerDecoder, DecodeError, Step};
use crate::growing_request::GrowingRequest;
use crate::refused_parameters::RefusedParameters;
use crate::{Capability, ModelSettings, ProviderKind, ProviderSettings};
use arki_domain::{
    Category, ChatRequest, Code, FinishReason, Image, Message, ModelOptions, StreamEvent, TokenType, ToolDefinition,
    ToolRequest, Usage,
};
use serde_json::{Value, json};
use std::sync::Arc;

fn settings(model: &str, about: ModelSettings) -> ProviderSettings {
    let models = [(model.to_owned(), about)].into();
    ProviderSettings { models, ..ProviderSettings::new("local", ProviderKind::Ollama) }
}

fn request(messages: Vec<Message>) -> ChatRequest {
    ChatRequest {
        system: "You are helpful.".into(),
        messages: Arc::new(messages.into_iter().map(Arc::new).collect()),
        tools: Arc::new([]),
        images: Arc::default(),
        options: ModelOptions::default(),
    }
}

fn tools() -> Arc<[ToolDefinition]> {
    let (description, parameters) = ("Reads a file.".into(), json!({"type": "object", "properties": {}}));
    Arc::new([ToolDefinition { name: "read_file".into(), description, category: Category::Read, parameters }])
}

fn body(settings: &ProviderSettings, model: &str, request: &ChatRequest) -> Value {
    let prepared = GrowingRequest::default()
        .prepare(&Ollama::new(settings, model), request, &RefusedParameters::default())
        .unwrap();
    serde_json::from_slice(&prepared.body).unwrap()
}

fn sent(request: &ChatRequest) -> Value {
    body(&settings("other", ModelSettings::default()), "qwen3", request)
}

fn call(id: &str, arguments: &str) -> ToolRequest {
    ToolRequest { call_id: id.into(), tool_id: "read_file".into(), arguments: arguments.into() }
}

fn result(id: &str, content: &str) -> Message {
    Message::ToolResult { call_id: id.into(), tool_id: "read_file".into(), content: content.into(), is_error: false }
}

#[test]
fn what_the_user_says_in_a_row_is_one_message() {
    let said = sent(&request(vec![Message::user("git"), Message::user(""), Message::user("go")]));
    let expected = json!({"role": "user", "content": "git\n\ngo"});
    assert_eq!((said["messages"].as_array().unwrap().len(), &said["messages"][1]), (2, &expected));
}

#[test]
fn a_whole_conversation_in_ollamas_words() {
    let calls = vec![call("a", "{\"path\": \"x\"}"), call("b", " "), call("c", "{oops"), call("d", "[1]")];
    let thoughts = || Some("hm".to_owned());
    let mut request = request(vec![
        Message::user("hi"),
        Message::ToolRequest { content: String::new(), thoughts: thoughts(), reasoning: None, calls },
        result("a", "1"),
        result("b", "2"),
        result("c", "3"),
        result("d", "4"),
        Message::Assistant { content: "Done.".into(), thoughts: thoughts(), reasoning: None },
        Message::System { content: "Rules changed.".into() },
    ]);
    request.tools = tools();
    let call = |arguments: Value| json!({"function": {"name": "read_file", "arguments": arguments}});
    let calls = json!([
        call(json!({"path": "x"})),
        call(json!({})),
        call(json!({"invalid_arguments": "{oops"})),
        call(json!({"invalid_arguments": "[1]"})),
    ]);
    let result = |content: &str| json!({"role": "tool", "tool_name": "read_file", "content": content});
    let function = json!({"name": "read_file", "description": "Reads a file.", "parameters": {"type": "object", "properties": {}}});
    let expected = json!({
        "model": "qwen3", "stream": true, "truncate": false, "shift": false, "options": {"num_ctx": 32768},
        "tools": [{"type": "function", "function": function}],
        "messages": [
            {"role": "system", "content": "You are helpful."},
            {"role": "user", "content": "hi"},
            {"role": "assistant", "content": "", "thinking": "hm", "tool_calls": calls},
            result("1"), result("2"), result("3"), result("4"),
            {"role": "assistant", "content": "Done."},
            {"role": "system", "content": "Rules changed."},
        ],
    });
    assert_eq!(sent(&request), expected);
}

#[test]
fn the_context_is_the_models_window_as_configured() {
    let about = ModelSettings { context_window: Some(8192), ..ModelSettings::default() };
    let settings = settings("small", about);
    let request = request(vec![Message::user("hi")]);
    assert_eq!(body(&settings, "small", &request)["options"], json!({"num_ctx": 8192}));
    assert_eq!(body(&settings, "other", &request)["options"], json!({"num_ctx": 32_768}));
    let options = ModelOptions { max_completion_tokens: Some(99), ..ModelOptions::default() };
    let limited = body(&settings, "small", &ChatRequest { options, ..request });
    assert_eq!(limited["options"], json!({"num_ctx": 8192, "num_predict": 99}));
}

#[test]
fn thinking_is_asked_for_only_where_it_cannot_be_an_error() {
    let capabilities = Some(vec![Capability::Text, Capability::Reasoning]);
    let settings = settings("thinker", ModelSettings { capabilities, ..ModelSettings::default() });
    let think = |model: &str, effort: Option<&str>| {
        let options = ModelOptions { reasoning_effort: effort.map(str::to_owned), ..ModelOptions::default() };
        body(&settings, model, &ChatRequest { options, ..request(vec![Message::user("hi")]) })["think"].clone()
    };
    assert_eq!(think("thinker", Some("low")), json!(true));
    assert_eq!(think("thinker", None), Value::Null);
    assert_eq!(think("llama3", Some("high")), Value::Null);
    assert_eq!(think("gpt-oss:20b", Some("high")), json!("high"));
    assert_eq!(think("me/gpt-oss:20b", Some("minimal")), json!("low"));
    assert_eq!(think("gpt-oss", None), Value::Null);
}

#[test]
fn a_form_is_demanded_by_the_api_and_beside_tools_in_words() {
    let schema = json!({"type": "object", "properties": {}});
    let options = ModelOptions { output_schema: Some(schema.clone()), ..ModelOptions::default() };
    let plain = ChatRequest { options, ..request(vec![Message::user("hi")]) };
    let strict = sent(&plain);
    assert_eq!((&strict["format"], &strict["messages"][0]["content"]), (&schema, &json!("You are helpful.")));
    let worded = sent(&ChatRequest { tools: tools(), ..plain });
    assert_eq!(worded["format"], Value::Null);
    let system = worded["messages"][0]["content"].as_str().unwrap();
    assert!(system.starts_with("You are helpful.") && system.ends_with(&schema.to_string()), "{system}");
}

#[test]
fn images_are_sent_beside_the_words() {
    let images = vec![Image::new("image/png", "a")];
    let shown = Message::User { content: "look".into(), images };
    let images = Arc::new([("a".to_owned(), "png".into())].into());
    let sent = sent(&ChatRequest { images, ..request(vec![shown]) });
    assert_eq!(sent["messages"][1], json!({"role": "user", "content": "look", "images": ["cG5n"]}));
}

/// The events of these lines, and the last step.
fn read(lines: &[Value]) -> (Vec<StreamEvent>, Step) {
    let (mut decoder, mut out, mut step) = (OllamaDecoder::default(), Vec::new(), Step::More);
    for line in lines {
        step = decoder.event(None, &line.to_string(), &mut out).unwrap();
    }
    decoder.conclude(&mut out);
    (out, step)
}

#[allow(clippy::needless_pass_by_value)]
fn said(message: Value) -> Value {
    json!({"model": "qwen3", "created_at": "2026-11-22T07:00:00Z", "message": message, "done": false})
}

fn done(reason: &str) -> Value {
    json!({"message": {"role": "assistant", "content": ""}, "done": true, "done_reason": reason,
        "total_duration": 5, "prompt_eval_count": 30, "eval_count": 12})
}

fn text(token_type: TokenType, text: &str) -> StreamEvent {
    StreamEvent::Token { token_type, text: text.to_owned() }
}

#[test]
fn thoughts_text_and_parallel_calls_of_one_answer() {
    let called =
        |name: &str, arguments: Value| json!([{"function": {"index": 0, "name": name, "arguments": arguments}}]);
    let (events, step) = read(&[
        said(json!({"role": "assistant", "content": "", "thinking": "hm"})),
        said(json!({"role": "assistant", "content": "<think>hm</think>Well"})),
        said(json!({"role": "assistant", "content": "", "tool_calls": called("one", json!({"x": 1}))})),
        said(json!({"role": "assistant", "content": "", "tool_calls": called("two", json!({}))})),
        done("stop"),
    ]);
    assert_eq!(step, Step::Complete);
    let expected =
        [text(TokenType::LlmThinking, "hm"), text(TokenType::LlmThinking, "hm"), text(TokenType::LlmResponse, "Well")];
    assert_eq!(events[..3], expected);
    let calls: Vec<&ToolRequest> = events
        .iter()
        .filter_map(|event| if let StreamEvent::ToolCall(call) = event { Some(call) } else { None })
        .collect();
    let told: Vec<_> = calls.iter().map(|call| (call.tool_id.as_str(), call.arguments.as_str())).collect();
    assert_eq!(told, [("one", "{\"x\":1}"), ("two", "{}")]);
    assert_ne!(calls[0].call_id, calls[1].call_id);
    let usage = Usage::told(Some(30), Some(12), None, None);
    let metadata = StreamEvent::Metadata { finish_reason: Some(FinishReason::ToolCalls), usage: Some(usage) };
    assert_eq!(events.last(), Some(&metadata));
}

#[test]
fn the_reason_for_the_end_is_told() {
    let reason = |lines: &[Value]| match read(lines).0.pop() {
        Some(StreamEvent::Metadata { finish_reason, .. }) => finish_reason.unwrap(),
        other => panic!("{other:?}"),
    };
    assert_eq!(reason(&[done("stop")]), FinishReason::Stop);
    assert_eq!(reason(&[done("length")]), FinishReason::Length);
    assert_eq!(reason(&[done("load")]), FinishReason::Other);
    assert_eq!(reason(&[json!({"done": true})]), FinishReason::Stop);
}

#[test]
fn an_error_among_the_lines_is_the_vendors() {
    let fails = |line: Value| OllamaDecoder::default().event(None, &line.to_string(), &mut Vec::new()).unwrap_err();
    let code = |line: Value| match fails(line) {
        DecodeError::Vendor(error) => error.code(),
        other => panic!("{other:?}"),
    };
    assert_eq!(code(json!({"error": "an error was encountered while running the model"})), Code::PROVIDER_FAILED);
    assert_eq!(code(json!({"error": "the prompt is longer than the context length"})), Code::CONTEXT_TOO_LONG);
    assert!(matches!(fails(json!([1])), DecodeError::Malformed(_)));
}

#[test]
fn more_calls_than_anybody_reviews_are_too_long_an_answer() {
    let mut decoder = OllamaDecoder::default();
    let calls = |number: usize| {
        let calls = vec![json!({"function": {"name": "a"}}); number];
        said(json!({"tool_calls": calls})).to_string()
    };
    assert!(decoder.event(None, &calls(256), &mut Vec::new()).is_ok());
    assert!(matches!(decoder.event(None, &calls(1), &mut Vec::new()), Err(DecodeError::TooManyCalls)));
}
