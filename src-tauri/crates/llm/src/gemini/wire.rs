//! The JSON of `streamGenerateContent`. Reading is lenient: everything may be missing.
//!
//! <https://ai.google.dev/api/generate-content>

use crate::figures;
use arki_domain::{ToolDefinition, Usage};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

/// A request without its contents.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Head<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) system_instruction: Option<SystemInstruction<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tools: Option<[Tools<'a>; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) generation_config: Option<GenerationConfig<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) service_tier: Option<&'static str>,
}

#[derive(Serialize)]
pub(super) struct SystemInstruction<'a> {
    pub(super) parts: [Part<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Tools<'a> {
    pub(super) function_declarations: Vec<Declaration<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Declaration<'a> {
    name: &'a str,
    description: &'a str,
    /// An object without properties is refused; a function without parameters is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters_json_schema: Option<&'a Value>,
}

impl<'a> From<&'a ToolDefinition> for Declaration<'a> {
    fn from(tool: &'a ToolDefinition) -> Self {
        let has_properties = |schema: &&Value| {
            schema.get("properties").and_then(Value::as_object).is_none_or(|properties| !properties.is_empty())
        };
        let parameters_json_schema = Some(&tool.parameters).filter(has_properties);
        Self { name: &tool.name, description: &tool.description, parameters_json_schema }
    }
}

#[derive(PartialEq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct GenerationConfig<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) max_output_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) response_mime_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) response_json_schema: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) thinking_config: Option<ThinkingConfig>,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ThinkingConfig {
    pub(super) include_thoughts: bool,
    /// In tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) thinking_budget: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) thinking_level: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Role {
    User,
    Model,
}

#[derive(Serialize)]
pub(super) struct Content<'a> {
    pub(super) role: Role,
    pub(super) parts: Vec<Part<'a>>,
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Part<'a> {
    #[serde(skip_serializing_if = "is_false")]
    pub(super) thought: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) inline_data: Option<Blob<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) function_call: Option<FunctionCall<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) function_response: Option<FunctionResponse<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) thought_signature: Option<String>,
}

impl<'a> Part<'a> {
    pub(super) fn text(text: &'a str) -> Self {
        Self { text: Some(text), ..Self::default() }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Blob<'a> {
    pub(super) mime_type: &'a str,
    /// In base64.
    pub(super) data: String,
}

#[derive(Serialize)]
pub(super) struct FunctionCall<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<String>,
    pub(super) name: &'a str,
    pub(super) args: Box<RawValue>,
}

#[derive(Serialize)]
pub(super) struct FunctionResponse<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    name: &'a str,
    response: Outcome<'a>,
}

/// The names that Google's own libraries use.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Outcome<'a> {
    Output(&'a str),
    Error(&'a str),
}

impl<'a> FunctionResponse<'a> {
    pub(super) fn new(id: Option<String>, name: &'a str, content: &'a str, is_error: bool) -> Self {
        let response = if is_error { Outcome::Error(content) } else { Outcome::Output(content) };
        Self { id, name, response }
    }
}

/// One chunk of a stream, or a whole answer: they have the same form.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Chunk {
    pub(super) candidates: Option<Vec<Candidate>>,
    pub(super) prompt_feedback: Option<PromptFeedback>,
    #[serde(default, deserialize_with = "figures::group")]
    pub(super) usage_metadata: Option<UsageMetadata>,
    pub(super) error: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Candidate {
    pub(super) index: Option<u64>,
    pub(super) content: Option<AnswerContent>,
    pub(super) finish_reason: Option<String>,
    pub(super) finish_message: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct AnswerContent {
    pub(super) parts: Option<Vec<AnswerPart>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AnswerPart {
    pub(super) text: Option<String>,
    pub(super) thought: Option<bool>,
    pub(super) thought_signature: Option<String>,
    pub(super) function_call: Option<AnswerCall>,
}

#[derive(Deserialize)]
pub(super) struct AnswerCall {
    pub(super) id: Option<String>,
    pub(super) name: Option<String>,
    pub(super) args: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PromptFeedback {
    pub(super) block_reason: Option<String>,
    pub(super) block_reason_message: Option<String>,
}

/// The token counts of the answer so far.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct UsageMetadata {
    #[serde(default, deserialize_with = "figures::count")]
    prompt_token_count: Option<u64>,
    #[serde(default, deserialize_with = "figures::count")]
    tool_use_prompt_token_count: Option<u64>,
    #[serde(default, deserialize_with = "figures::count")]
    cached_content_token_count: Option<u64>,
    #[serde(default, deserialize_with = "figures::count")]
    candidates_token_count: Option<u64>,
    #[serde(default, deserialize_with = "figures::count")]
    thoughts_token_count: Option<u64>,
    #[serde(default, deserialize_with = "figures::count")]
    total_token_count: Option<u64>,
}

impl UsageMetadata {
    /// A later chunk may leave out what an earlier one has said.
    pub(super) fn or(self, earlier: Self) -> Self {
        Self {
            prompt_token_count: self.prompt_token_count.or(earlier.prompt_token_count),
            tool_use_prompt_token_count: self.tool_use_prompt_token_count.or(earlier.tool_use_prompt_token_count),
            cached_content_token_count: self.cached_content_token_count.or(earlier.cached_content_token_count),
            candidates_token_count: self.candidates_token_count.or(earlier.candidates_token_count),
            thoughts_token_count: self.thoughts_token_count.or(earlier.thoughts_token_count),
            total_token_count: self.total_token_count.or(earlier.total_token_count),
        }
    }

    /// Returns the tokens of the answer, without thoughts.
    pub(super) fn answer_tokens(&self) -> u64 {
        self.candidates_token_count.unwrap_or(0)
    }

    /// `None` where nothing has been said.
    pub(super) fn figures(&self) -> Option<Usage> {
        if self.prompt_token_count.is_none()
            && self.candidates_token_count.is_none()
            && self.total_token_count.is_none()
        {
            return None;
        }
        let reasoning_tokens = self.thoughts_token_count.unwrap_or(0);
        let of_tools = self.tool_use_prompt_token_count.unwrap_or(0);
        let prompt_tokens = self.prompt_token_count.map(|tokens| tokens.saturating_add(of_tools));
        // Where it has only thought so far, it tells no others.
        let answered = self.candidates_token_count.or(self.thoughts_token_count);
        let completion_tokens = answered.map(|_| self.answer_tokens().saturating_add(reasoning_tokens));
        let cached_tokens = self.cached_content_token_count;
        Some(Usage {
            reasoning_tokens,
            ..Usage::told(prompt_tokens, completion_tokens, self.total_token_count, cached_tokens)
        })
    }
}
