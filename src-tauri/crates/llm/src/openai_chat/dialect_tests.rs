//! Tests of what each of the servers is sent that the others are not.

use super::OpenAiChat;
use crate::growing_request::GrowingRequest;
use crate::refused_parameters::RefusedParameters;
use crate::{ProviderKind, ProviderSettings};
use ProviderKind::{Custom, Deepseek, OpenaiChat, Openrouter};
use arki_domain::{Category, ChatRequest, Image, Message, ModelOptions, Reasoning, ToolDefinition, ToolRequest};
use serde_json::{Value, json};
use std::sync::Arc;

const KINDS: [ProviderKind; 4] = [OpenaiChat, Deepseek, Openrouter, Custom];

fn request(messages: Vec<Message>) -> ChatRequest {
    ChatRequest {
        system: "You are helpful.".into(),
        messages: Arc::new(messages.into_iter().map(Arc::new).collect()),
        tools: Arc::new([]),
        images: Arc::default(),
        options: ModelOptions::default(),
    }
}

fn with_options(options: ModelOptions) -> ChatRequest {
    ChatRequest { options, ..request(vec![Message::user("hi")]) }
}

fn sent(kind: ProviderKind, model: &str, request: &ChatRequest) -> Value {
    let format = OpenAiChat::new(&ProviderSettings::new("there", kind), model);
    let prepared = GrowingRequest::default().prepare(&format, request, &RefusedParameters::default()).unwrap();
    serde_json::from_slice(&prepared.body).unwrap()
}

fn tools() -> Arc<[ToolDefinition]> {
    let (description, parameters) = ("Reads a file.".into(), json!({"type": "object"}));
    Arc::new([ToolDefinition { name: "read_file".into(), description, category: Category::Read, parameters }])
}

/// Without what is common to all: the messages, the model, that it streams.
fn apart(kind: ProviderKind, model: &str, request: &ChatRequest) -> Value {
    let mut body = sent(kind, model, request);
    let object = body.as_object_mut().unwrap();
    assert_eq!(object.remove("stream"), Some(json!(true)));
    for key in ["messages", "model", "tools"] {
        object.remove(key);
    }
    body
}

#[test]
fn options_are_told_under_each_servers_names() {
    let options = ModelOptions {
        flex: true,
        reasoning_effort: Some("low".into()),
        max_completion_tokens: Some(9),
        output_schema: None,
    };
    let request = with_options(options);
    let figures = json!({"include_usage": true});
    let openai = json!({"stream_options": figures, "reasoning_effort": "low", "max_completion_tokens": 9, "service_tier": "flex"});
    let custom = json!({"stream_options": figures, "reasoning_effort": "low", "max_tokens": 9, "service_tier": "flex"});
    let deepseek =
        json!({"stream_options": figures, "reasoning_effort": "low", "thinking": {"type": "enabled"}, "max_tokens": 9});
    let router = json!({"reasoning": {"effort": "low"}, "max_tokens": 9, "service_tier": "flex"});
    for (kind, expected) in [(OpenaiChat, openai), (Custom, custom), (Deepseek, deepseek), (Openrouter, router)] {
        assert_eq!(apart(kind, "m", &request), expected, "{kind}");
    }
}

#[test]
fn only_anthropics_models_behind_openrouter_need_to_be_told_to_cache() {
    let request = with_options(ModelOptions::default());
    let marker = |kind, model| apart(kind, model, &request)["cache_control"].clone();
    assert_eq!(marker(Openrouter, "anthropic/claude-sonnet-4.5"), json!({"type": "ephemeral"}));
    assert_eq!(marker(Openrouter, "openai/gpt-5.1"), Value::Null);
    assert_eq!(marker(Custom, "anthropic/claude-sonnet-4.5"), Value::Null);
}

#[test]
fn a_form_is_demanded_as_each_server_can_be_told() {
    let schema = json!({"type": "object"});
    let plain = with_options(ModelOptions { output_schema: Some(schema.clone()), ..ModelOptions::default() });
    let with_tools = ChatRequest { tools: tools(), ..plain.clone() };
    for kind in [OpenaiChat, Openrouter, Custom] {
        for request in [&plain, &with_tools] {
            let body = sent(kind, "m", request);
            let mut expected = json!({"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}});
            if kind != Custom {
                expected["json_schema"]["strict"] = json!(false);
            }
            assert_eq!(body["response_format"], expected, "{kind}");
            assert_eq!(body["messages"][0]["content"], "You are helpful.");
        }
    }
    let in_words = |body: &Value| body["messages"][0]["content"].as_str().unwrap().ends_with(&schema.to_string());
    let body = sent(Deepseek, "m", &plain);
    assert!(in_words(&body) && body["response_format"] == json!({"type": "json_object"}), "{body}");
    let body = sent(Deepseek, "m", &with_tools);
    assert!(in_words(&body) && body["response_format"] == Value::Null, "{body}");
}

fn called(thoughts: Option<&str>, reasoning: Option<Reasoning>) -> Vec<Message> {
    let call = ToolRequest { call_id: "a".into(), tool_id: "read_file".into(), arguments: "{}".into() };
    let result =
        Message::ToolResult { call_id: "a".into(), tool_id: "read_file".into(), content: "1".into(), is_error: false };
    let thoughts = thoughts.map(str::to_owned);
    vec![Message::ToolRequest { content: String::new(), thoughts, reasoning, calls: vec![call] }, result]
}

fn answered(text: &str, thoughts: Option<&str>) -> Message {
    Message::Assistant { content: text.into(), thoughts: thoughts.map(str::to_owned), reasoning: None }
}

#[test]
fn deepseek_gets_its_thoughts_back_with_every_turn_and_nobody_else_gets_any() {
    let mut messages = vec![Message::user("go")];
    messages.extend(called(Some("hm"), None));
    messages.extend(called(None, None));
    messages.extend([answered("Done.", Some("well")), Message::user("on")]);
    let request = request(messages);
    for kind in KINDS {
        let body = sent(kind, "deepseek-v4-pro", &request);
        let thoughts: Vec<&Value> = [2, 4, 6].iter().map(|at| &body["messages"][at]["reasoning_content"]).collect();
        if kind == Deepseek {
            assert_eq!(thoughts, [&json!("hm"), &json!(" "), &json!("well")]);
        } else {
            assert_eq!(thoughts, [&Value::Null; 3], "{kind}");
        }
    }
}

#[test]
fn what_a_server_gave_with_calls_it_gets_back_under_the_same_name() {
    let signature = json!({"google": {"thought_signature": "s"}});
    let kept = |name| super::returned_thoughts::kept("m", name, &[Some(signature.clone())]).unwrap();
    let before = Reasoning { format: "reasoning_content".into(), model: "m".into(), items: Value::Null };
    let request = |reasoning| request([vec![Message::user("go")], called(Some("hm"), Some(reasoning))].concat());
    let back = |kind, model, reasoning| {
        let turn = sent(kind, model, &request(reasoning))["messages"][2].clone();
        let thoughts = ["reasoning_content", "reasoning"].map(|name| turn[name].as_str().map(str::to_owned));
        (thoughts, turn["tool_calls"][0]["extra_content"].clone())
    };
    let hm = Some("hm".to_owned());
    assert_eq!(back(Custom, "m", before), ([hm.clone(), None], Value::Null));
    assert_eq!(back(Custom, "m", kept(Some("reasoning_content"))), ([hm.clone(), None], signature.clone()));
    assert_eq!(back(Custom, "m", kept(Some("reasoning"))), ([None, hm], signature.clone()));
    assert_eq!(back(Custom, "other", kept(Some("reasoning"))), ([None, None], Value::Null));
    assert_eq!(back(OpenaiChat, "m", kept(None)), ([None, None], signature.clone()));
    assert_eq!(super::returned_thoughts::kept("m", None, &[None]), None);
}

#[test]
fn details_go_back_to_the_model_they_came_from_alone() {
    let details = json!([{"type": "reasoning.encrypted", "data": "x"}]);
    let items = json!({"details": details, "calls": ["a"]});
    let reasoning = Reasoning { format: "openrouter".into(), model: "m".into(), items };
    let request = request([vec![Message::user("go")], called(None, Some(reasoning))].concat());
    let back = |kind, model| sent(kind, model, &request)["messages"][2]["reasoning_details"].clone();
    assert_eq!(back(Openrouter, "m"), details);
    assert_eq!(back(Openrouter, "other"), Value::Null);
    assert_eq!(back(Custom, "m"), Value::Null);
}

#[test]
fn where_roles_have_to_alternate_neighbours_are_told_as_one() {
    let mut messages = vec![Message::user("a"), Message::user("b"), answered("c", Some("hm"))];
    messages.extend(called(Some("well"), None));
    messages.extend([Message::user("d"), answered("e", None), Message::user("f")]);
    let request = request(messages);
    let body = sent(Deepseek, "deepseek-reasoner", &request);
    let calls = json!([{"id": "a", "type": "function", "function": {"name": "read_file", "arguments": "{}"}}]);
    let expected = json!([
        {"role": "system", "content": "You are helpful."},
        {"role": "user", "content": "a\n\nb"},
        {"role": "assistant", "content": "c", "reasoning_content": "hm\n\nwell", "tool_calls": calls},
        {"role": "tool", "tool_call_id": "a", "content": "1"},
        {"role": "user", "content": "d"},
        {"role": "assistant", "content": "e", "reasoning_content": " "},
        {"role": "user", "content": "f"},
    ]);
    assert_eq!(body["messages"], expected);
    for kind in KINDS {
        let body = sent(kind, "deepseek-v4-pro", &request);
        let roles: Vec<_> = body["messages"].as_array().unwrap().iter().map(|message| &message["role"]).collect();
        assert_eq!(roles, ["system", "user", "assistant", "assistant", "tool", "user", "assistant", "user"], "{kind}");
        assert_eq!(body["messages"][1]["content"], "a\n\nb");
    }
}

#[test]
fn pictures_of_neighbours_are_sent_together_and_a_later_word_changes_nothing_before_them() {
    let shown = |text: &str| Message::User { content: text.into(), images: vec![Image::new("image/png", "a")] };
    let images: Arc<crate::request_parts::Images> = Arc::new([("a".to_owned(), "png".into())].into());
    let request = |messages| ChatRequest { images: images.clone(), ..request(messages) };
    let (format, growing) = (OpenAiChat::new(&ProviderSettings::new("there", Custom), "m"), GrowingRequest::default());
    let mut given: Vec<Arc<Message>> = Vec::new();
    let mut bodies = Vec::new();
    for message in [Message::user("git"), shown("look"), answered("c", None), Message::user("d"), Message::user("e")] {
        given.push(Arc::new(message));
        let messages = given.iter().map(|message| (**message).clone()).collect();
        let prepared = growing.prepare(&format, &request(messages), &RefusedParameters::default()).unwrap();
        bodies.push(String::from_utf8(prepared.body.to_vec()).unwrap());
        let anew: Vec<_> = given.iter().map(|message| (**message).clone()).collect();
        let anew = GrowingRequest::default().prepare(&format, &request(anew), &RefusedParameters::default()).unwrap();
        assert_eq!(bodies.last().unwrap().as_bytes(), &anew.body[..]);
    }
    let last: Value = serde_json::from_str(&bodies[4]).unwrap();
    assert_eq!(last["messages"][1]["content"][0]["text"], "git\n\nlook");
    assert_eq!(last["messages"][3]["content"], "d\n\ne");
    for (before, after) in [(1, 2), (2, 3), (2, 4)] {
        assert!(bodies[after].starts_with(bodies[before].trim_end_matches("]}")), "{before} {after}");
    }
}

#[test]
fn a_model_that_is_known_to_see_nothing_is_told_so_in_words() {
    let images = vec![Image::new("image/png", "a")];
    let shown = Message::User { content: "look".into(), images };
    let images = Arc::new([("a".to_owned(), "png".into())].into());
    let request = ChatRequest { images, ..request(vec![shown]) };
    let content = |kind, model| sent(kind, model, &request)["messages"][1]["content"].clone();
    let told = json!("look\n\n[An image was here, which this model can't see.]");
    assert_eq!(content(Deepseek, "deepseek-v4-pro"), told);
    assert_eq!(content(OpenaiChat, "gpt-5.1")[1]["type"], "image_url");
    assert_eq!(content(Custom, "whatever")[1]["type"], "image_url");
}
