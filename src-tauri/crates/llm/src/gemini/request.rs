//! The part of a request before the contents.

use super::generation::Generation;
use super::wire::{Declaration, GenerationConfig, Head, SystemInstruction, Tools};
use crate::schema_in_words::schema_in_words;
use arki_domain::ChatRequest;
use std::borrow::Cow;

/// The system text; the form of the answer is told in words where the API cannot be told it.
pub(super) fn system<'a>(generation: &Generation, request: &'a ChatRequest) -> Cow<'a, str> {
    match &request.options.output_schema {
        Some(schema) if !is_schema_sent(generation, request) => Cow::Owned(schema_in_words(&request.system, schema)),
        _ => Cow::Borrowed(&request.system),
    }
}

pub(super) fn head<'a>(generation: &Generation, system: &'a str, request: &'a ChatRequest) -> Head<'a> {
    let options = &request.options;
    let schema = options.output_schema.as_ref().filter(|_| is_schema_sent(generation, request));
    let config = GenerationConfig {
        max_output_tokens: options.max_completion_tokens,
        response_mime_type: schema.map(|_| "application/json"),
        response_json_schema: schema,
        thinking_config: generation.thinking_config(options.reasoning_effort.as_deref()),
    };
    let declarations: Vec<Declaration<'_>> = request.tools.iter().map(Declaration::from).collect();
    Head {
        system_instruction: (!system.is_empty()).then(|| SystemInstruction::new(system)),
        tools: (!declarations.is_empty()).then_some([Tools { function_declarations: declarations }]),
        generation_config: (!config.is_empty()).then_some(config),
        service_tier: options.flex.then_some("flex"),
    }
}

/// Returns whether the schema is sent. Before the third generation a prescribed form and tools exclude each other.
fn is_schema_sent(generation: &Generation, request: &ChatRequest) -> bool {
    request.tools.is_empty() || generation.takes_schema_with_tools()
}
