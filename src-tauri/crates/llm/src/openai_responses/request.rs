//! The part of a request before the conversation.

use crate::request_parts::to_json;
use crate::strict_schema::can_be_strict;
use arki_domain::{ChatRequest, Error, ToolDefinition, sha256_hex};
use serde::Serialize;
use serde_json::Value;

/// The length of the hash that tells prefixes apart; the API takes 64 characters.
const CACHE_KEY_CHARS: usize = 32;

/// A request without its `input`.
#[derive(Serialize)]
pub(super) struct Head<'a> {
    model: &'a str,
    stream: bool,
    store: bool,
    /// Sends requests that begin alike to the machine that has their beginning in its cache.
    prompt_cache_key: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    include: Option<[&'static str; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<Reasoning<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    service_tier: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<Text<'a>>,
    #[serde(skip_serializing_if = "str::is_empty")]
    instructions: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    parallel_tool_calls: Option<bool>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
}

#[derive(Serialize)]
struct Reasoning<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    effort: Option<&'a str>,
    summary: &'static str,
}

#[derive(Serialize)]
struct Text<'a> {
    format: Format<'a>,
}

#[derive(Serialize)]
struct Format<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    name: &'static str,
    schema: &'a Value,
    strict: bool,
}

#[derive(Serialize)]
struct Tool<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    name: &'a str,
    description: &'a str,
    parameters: &'a Value,
    /// Strict schemas have no optional properties, and ours do.
    strict: bool,
}

/// `reasons` is whether the model is known to; of one that nothing is known of, an effort says that it does.
pub(super) fn head<'a>(model: &'a str, reasons: Option<bool>, request: &'a ChatRequest) -> Result<Head<'a>, Error> {
    let options = &request.options;
    let effort = options.reasoning_effort.as_deref();
    let reasons = reasons.unwrap_or(effort.is_some());
    let tools: Vec<Tool<'_>> = request.tools.iter().map(Tool::from).collect();
    Ok(Head {
        model,
        stream: true,
        store: false,
        prompt_cache_key: cache_key(&request.system, &tools)?,
        include: reasons.then_some(["reasoning.encrypted_content"]),
        reasoning: reasons.then_some(Reasoning { effort, summary: "auto" }),
        max_output_tokens: options.max_completion_tokens,
        service_tier: options.flex.then_some("flex"),
        text: options.output_schema.as_ref().map(Text::from),
        instructions: &request.system,
        parallel_tool_calls: (!tools.is_empty()).then_some(true),
        tools,
    })
}

/// The same for every request that shares instructions and tools, so also from run to run of a project.
fn cache_key(system: &str, tools: &[Tool<'_>]) -> Result<String, Error> {
    let mut key = sha256_hex(&to_json(&(system, tools))?);
    key.truncate(CACHE_KEY_CHARS);
    Ok(key)
}

impl<'a> From<&'a ToolDefinition> for Tool<'a> {
    fn from(tool: &'a ToolDefinition) -> Self {
        Self {
            kind: "function",
            name: &tool.name,
            description: &tool.description,
            parameters: &tool.parameters,
            strict: false,
        }
    }
}

impl<'a> From<&'a Value> for Text<'a> {
    fn from(schema: &'a Value) -> Self {
        Self { format: Format { kind: "json_schema", name: "answer", schema, strict: can_be_strict(schema) } }
    }
}
