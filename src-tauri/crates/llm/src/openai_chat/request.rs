//! The part of a request before the messages.

use super::OpenAiChat;
use super::dialect::Dialect;
use super::wire::{CacheControl, Head, JsonSchema, Reasoning, ResponseFormat, StreamOptions, Thinking};
use crate::function_tool::FunctionTool;
use crate::schema_in_words::schema_in_words;
use crate::strict_schema::can_be_strict;
use arki_domain::ChatRequest;
use serde_json::Value;
use std::borrow::Cow;

pub(super) fn head<'a>(format: &'a OpenAiChat, request: &'a ChatRequest) -> Head<'a> {
    let OpenAiChat { model, dialect, refuses_effort, .. } = format;
    let (dialect, options) = (*dialect, &request.options);
    let effort = options.reasoning_effort.as_deref().filter(|_| !refuses_effort);
    let limit = options.max_completion_tokens;
    let is_router = dialect == Dialect::OpenRouter;
    Head {
        model,
        stream: true,
        // OpenRouter gives the figures unasked, and knows no other way to ask for them any more.
        stream_options: (!is_router).then_some(StreamOptions { include_usage: true }),
        cache_control: (is_router && model.starts_with("anthropic/")).then_some(CacheControl { kind: "ephemeral" }),
        reasoning: effort.filter(|_| is_router).map(|effort| Reasoning { effort }),
        reasoning_effort: effort.filter(|_| !is_router),
        thinking: effort.filter(|_| dialect == Dialect::DeepSeek).map(|_| Thinking { kind: "enabled" }),
        max_completion_tokens: limit.filter(|_| dialect == Dialect::OpenAi),
        max_tokens: limit.filter(|_| dialect != Dialect::OpenAi),
        service_tier: (options.flex && dialect != Dialect::DeepSeek).then_some("flex"),
        response_format: response_format(dialect, request),
        tools: request.tools.iter().map(FunctionTool::from).collect(),
    }
}

/// DeepSeek knows no schemas, so that it is told in words; its promise of JSON would keep it from calling tools.
pub(super) fn system(dialect: Dialect, request: &ChatRequest) -> Cow<'_, str> {
    match &request.options.output_schema {
        Some(schema) if dialect == Dialect::DeepSeek => Cow::Owned(schema_in_words(&request.system, schema)),
        _ => Cow::Borrowed(&request.system),
    }
}

fn response_format(dialect: Dialect, request: &ChatRequest) -> Option<ResponseFormat<'_>> {
    let schema = request.options.output_schema.as_ref()?;
    match dialect {
        Dialect::DeepSeek => request.tools.is_empty().then_some(ResponseFormat::JsonObject),
        // These hold the model to any schema, unasked.
        Dialect::Compatible => Some(json_schema(schema, None)),
        Dialect::OpenAi | Dialect::OpenRouter => Some(json_schema(schema, Some(can_be_strict(schema)))),
    }
}

fn json_schema(schema: &Value, strict: Option<bool>) -> ResponseFormat<'_> {
    ResponseFormat::JsonSchema { json_schema: JsonSchema { name: "answer", schema, strict } }
}
