//! Refusals as servers word them, and what is left of a request.

use super::*;
use crate::anthropic::Anthropic;
use crate::gemini::Gemini;
use crate::ollama::Ollama;
use crate::openai_chat::OpenAiChat;
use crate::openai_responses::OpenAiResponses;
use crate::wire_format::WireFormat;
use crate::{ProviderKind, ProviderSettings};
use arki_domain::{Category, ChatRequest, Message, ModelOptions, ToolDefinition};
use serde_json::json;

fn request() -> ChatRequest {
    let tool = ToolDefinition {
        name: "read_file".into(),
        description: "Reads a file.".into(),
        category: Category::Read,
        parameters: json!({"type": "object", "properties": {"store": {"type": "string"}}}),
    };
    let options = ModelOptions {
        reasoning_effort: Some("high".into()),
        max_completion_tokens: Some(1000),
        flex: true,
        output_schema: Some(json!({"type": "object", "required": ["a"]})),
    };
    ChatRequest {
        system: "Be helpful.".into(),
        messages: Arc::new(vec![Arc::new(Message::user("hi"))]),
        tools: Arc::new([tool]),
        images: Arc::default(),
        options,
    }
}

fn head_of(kind: ProviderKind) -> (Vec<u8>, &'static [&'static str]) {
    let settings = ProviderSettings::new("there", kind);
    let format: Box<dyn WireFormat> = match kind {
        ProviderKind::Openai => Box::new(OpenAiResponses::new(&settings, "gpt-5.1")),
        ProviderKind::Anthropic => Box::new(Anthropic::new(&settings, "claude-sonnet-5")),
        ProviderKind::Gemini => Box::new(Gemini::new(&settings, "gemini-2.5-flash")),
        ProviderKind::Ollama => Box::new(Ollama::new(&settings, "gpt-oss:20b")),
        _ => Box::new(OpenAiChat::new(&settings, "some-model")),
    };
    (format.head(&request()).unwrap(), format.required_options())
}

#[track_caller]
fn refused(kind: ProviderKind, status: u16, body: &Value) -> Option<String> {
    let (head, required) = head_of(kind);
    let body = body.as_str().map_or_else(|| body.to_string(), str::to_owned);
    let error = VendorError::from_response(status, body.as_bytes());
    RefusedParameters::refused_by(&error, &head, required, &["reasoning_content"])
}

fn says(message: &str) -> Value {
    json!({"error": {"message": message, "type": "invalid_request_error"}})
}

#[test]
fn refusals_are_understood_in_each_wire_format_however_they_are_worded() {
    use ProviderKind::{Anthropic, Custom, Gemini, Ollama, Openai, OpenaiChat};
    let param = |message: &str, param: &str, code: &str| json!({"error": {"message": message, "type": "invalid_request_error", "param": param, "code": code}});
    let located = |loc: Value, msg: &str| json!({"detail": [{"type": "extra_forbidden", "loc": loc, "msg": msg}]});
    let cases = [
        (
            OpenaiChat,
            param("Unsupported parameter: 'max_completion_tokens'.", "max_completion_tokens", "unsupported_parameter"),
            "max_completion_tokens",
        ),
        (
            Custom,
            says(
                "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
            ),
            "max_tokens",
        ),
        (Custom, says("Unrecognized request argument supplied: stream_options"), "stream_options"),
        (Custom, says("This model does not support reasoning effort."), "reasoning_effort"),
        (Custom, says("Reasoning is not enabled for this model"), "reasoning_effort"),
        (
            Custom,
            says("Function tools with reasoning_effort are not supported for this model in /v1/chat/completions."),
            "reasoning_effort",
        ),
        (Custom, located(json!(["body", "stream_options"]), "Extra inputs are not permitted"), "stream_options"),
        (
            Custom,
            located(json!(["body", "response_format", "json_schema", "name"]), "extra fields not permitted"),
            "response_format",
        ),
        (
            Custom,
            json!({"object": "error", "message": {"detail": [{"type": "extra_forbidden", "loc": ["body", "service_tier"], "msg": "Extra inputs are not permitted"}]}}),
            "service_tier",
        ),
        (
            Custom,
            says(
                "litellm.UnsupportedParamsError: custom does not support parameters: ['reasoning_effort'], for model=m",
            ),
            "reasoning_effort",
        ),
        (
            Custom,
            says("property 'messages.2.assistant.reasoning_content' is unsupported"),
            "messages.reasoning_content",
        ),
        (Custom, json!({"error": "Unknown field: response_format"}), "response_format"),
        (Custom, json!("Additional properties are not allowed ('service_tier' was unexpected)"), "service_tier"),
        (
            Openai,
            param("Unknown parameter: 'prompt_cache_key'.", "prompt_cache_key", "unknown_parameter"),
            "prompt_cache_key",
        ),
        (
            Openai,
            param(
                "Your organization must be verified to generate reasoning summaries.",
                "reasoning.summary",
                "unsupported_value",
            ),
            "reasoning.summary=\"auto\"",
        ),
        (
            Openai,
            param(
                "Unsupported value: 'reasoning.effort' does not support 'high' with this model.",
                "reasoning.effort",
                "unsupported_value",
            ),
            "reasoning.effort=\"high\"",
        ),
        (
            Openai,
            param("Encrypted content is not supported with this model.", "include", "invalid_request_error"),
            "include",
        ),
        (Openai, says("Unsupported parameter: 'store'"), "store"),
        (Openai, says("store: Extra inputs are not permitted"), "store"),
        (Openai, says("parallel_tool_calls is not supported"), "parallel_tool_calls"),
        (Openai, says("This endpoint does not support parallel tool calls."), "parallel_tool_calls"),
        (
            Openai,
            param("Unknown parameter: 'tools[0].strict'.", "tools[0].strict", "unknown_parameter"),
            "tools.strict",
        ),
        (
            Openai,
            param("Invalid schema for response_format 'answer'.", "text.format.schema", "invalid_json_schema"),
            "text.format",
        ),
        (Anthropic, says("cache_control: Extra inputs are not permitted"), "cache_control"),
        (Anthropic, says("\"thinking.type.adaptive\" is not supported for this model."), "thinking"),
        (Anthropic, says("output_config.effort: Extra inputs are not permitted"), "output_config.effort"),
        (Anthropic, says("This model does not support the effort parameter."), "output_config.effort"),
        (
            Gemini,
            says(
                "Invalid JSON payload received. Unknown name \"thinkingConfig\" at 'generation_config': Cannot find field.",
            ),
            "generationConfig.thinkingConfig",
        ),
        (
            Gemini,
            says("Thinking budget is not supported for this model."),
            "generationConfig.thinkingConfig.thinkingBudget",
        ),
        (
            Gemini,
            says("Invalid JSON payload received. Unknown name \"serviceTier\": Cannot find field."),
            "serviceTier",
        ),
        (Ollama, json!({"error": "\"gpt-oss:20b\" does not support thinking"}), "think"),
        (Ollama, json!({"error": "invalid option provided: num_predict"}), "options.num_predict"),
    ];
    let wrong = cases.iter().filter(|(kind, body, part)| refused(*kind, 400, body).as_deref() != Some(*part));
    let wrong: Vec<_> = wrong.map(|(kind, body, part)| (body, part, refused(*kind, 400, body))).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(
        refused(Custom, 422, &json!({"error": {"message": "extra_forbidden: stream_options"}})).as_deref(),
        Some("stream_options")
    );
    let listed = json!({"detail": [{"type": "extra_forbidden", "loc": ["body", "stream_options"], "msg": "no"}]});
    assert_eq!(refused(Custom, 400, &listed).as_deref(), Some("stream_options"));
    assert_eq!(
        refused(Custom, 500, &json!({"error": {"message": "Unsupported param: stream_options"}})).as_deref(),
        Some("stream_options")
    );
    let too_large = param(
        "'max_tokens' is too large: 8192. This model's maximum context length is 4096 tokens.",
        "max_tokens",
        "400",
    );
    assert_eq!(refused(Custom, 400, &too_large).as_deref(), Some("max_tokens"));
}

#[test]
fn what_is_required_or_not_there_or_not_refused_stays() {
    use ProviderKind::{Anthropic, Custom, Gemini, Ollama, Openai};
    for (kind, status, message) in [
        (Custom, 400, "Unsupported parameter: 'messages'"),
        (Custom, 400, "\"m\" does not support tools"),
        (Custom, 400, "Unsupported parameter: 'temperature'"),
        (Custom, 400, "Invalid value for 'model'"),
        (Custom, 400, "The image is not supported: store it elsewhere and include a smaller one"),
        (Custom, 401, "Invalid API key. Unsupported parameter: 'stream_options'"),
        (Custom, 429, "Unsupported parameter: 'stream_options'"),
        (Custom, 400, "This model's maximum context length is 10 tokens, max_tokens is not supported"),
        (Openai, 400, "This model does not support requests that include pictures in the store of text"),
        (Openai, 503, "The service is not available"),
        (Anthropic, 400, "max_tokens: 200000 > 64000, which is not allowed"),
        (Anthropic, 400, "messages.1.content.0: Invalid `signature` in `thinking` block"),
        (Anthropic, 400, "tools.0.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf"),
        (Gemini, 400, "Unknown name \"store\" at 'tools[0].function_declarations[0].parameters': Cannot find field."),
        (Ollama, 400, "\"m\" does not support tools"),
    ] {
        assert_eq!(refused(kind, status, &says(message)), None, "{kind:?} {message}");
    }
}

#[test]
fn the_rest_of_the_head_is_as_it_was() {
    for (kind, parts, gone) in [
        (ProviderKind::Custom, &["max_tokens", "service_tier"][..], &["/service_tier", "/max_tokens"][..]),
        (
            ProviderKind::Openai,
            &["reasoning.summary", "reasoning.effort", "tools.strict"],
            &["/reasoning", "/tools/0/strict"],
        ),
        (ProviderKind::Gemini, &["generationConfig.thinkingConfig"], &["/generationConfig/thinkingConfig"]),
        (ProviderKind::Ollama, &["options.num_predict=1000", "options.num_ctx=7"], &["/options/num_predict"]),
    ] {
        let (head, _) = head_of(kind);
        let mut refused = RefusedParameters::default();
        refused.add(parts.iter().map(|part| (*part).to_owned()));
        let mut expected = whole(&head).unwrap();
        for gone in gone {
            let (above, name) = gone.rsplit_once('/').unwrap();
            assert!(expected.pointer(gone).is_some(), "{gone}");
            expected.pointer_mut(above).unwrap().as_object_mut().unwrap().remove(name);
        }
        if kind == ProviderKind::Custom {
            expected["max_completion_tokens"] = json!(1000);
        }
        let written = refused.without(head).unwrap();
        let text = String::from_utf8(written.clone()).unwrap();
        assert_eq!(whole(&written).unwrap(), expected, "{text}");
        let list = OPAQUE.iter().find(|list| expected.get(**list).is_some_and(Value::is_array)).unwrap();
        let begun = text.split_once(&format!("\"{list}\":[")).unwrap().1;
        assert!(
            serde_json::from_str::<Value>(&format!("[{begun}]")).is_ok(),
            "the conversation goes on behind: {text}"
        );
    }
    let mut both = RefusedParameters::default();
    both.add(LIMITS.map(str::to_owned));
    let without = whole(&both.without(head_of(ProviderKind::Custom).0).unwrap()).unwrap();
    assert!(LIMITS.iter().all(|limit| without.get(limit).is_none()));
}

#[test]
fn parts_of_messages_are_left_out_of_each() {
    let mut refused = RefusedParameters::default();
    refused.add(["messages.reasoning_content".to_owned(), "messages.tool_calls.extra_content".to_owned()]);
    let entry = json!({"role": "assistant", "content": null, "reasoning_content": "hm", "tool_calls": [{"id": "1", "extra_content": {}}]});
    let written = refused.without_in_messages(entry.to_string().into_bytes()).unwrap();
    let written: Value = serde_json::from_slice(&written).unwrap();
    assert_eq!(written, json!({"role": "assistant", "content": null, "tool_calls": [{"id": "1"}]}));
}
