//! OpenAI's Chat Completions, and the servers that speak nearly the same.

#[cfg(test)]
mod dialect_tests;
mod entry;
mod reasoning_details;
mod response;
mod returned_thoughts;
#[cfg(test)]
mod stream_tests;
mod wire;

use crate::answer_decoder::AnswerDecoder;
use crate::request_parts::{FunctionTool, Images, acceptable_id, open_list, system_text, to_json};
use crate::strict_schema::can_be_strict;
use crate::wire_format::{Headers, WireFormat, bearer};
use crate::{ProviderKind, ProviderSettings, Secret, catalogue};
use arki_domain::{CallId, ChatRequest, Error, Message};
use entry::Entry;
use reqwest::header::{HeaderName, HeaderValue};
use response::ChatDecoder;
use serde_json::Value;
use std::borrow::Cow;
use std::sync::Arc;
use wire::{CacheControl, Head, JsonSchema, Reasoning, ResponseFormat, StreamOptions, Thinking};

/// Differences in Chat Completions from server to server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Dialect {
    /// <https://platform.openai.com/docs/api-reference/chat>
    OpenAi,
    /// <https://api-docs.deepseek.com/api/create-chat-completion>
    DeepSeek,
    /// <https://openrouter.ai/docs/api-reference/chat-completion>
    OpenRouter,
    /// llama.cpp, vLLM, LM Studio, LiteLLM and the like.
    #[default]
    Compatible,
}

impl From<ProviderKind> for Dialect {
    fn from(kind: ProviderKind) -> Self {
        match kind {
            ProviderKind::OpenaiChat => Self::OpenAi,
            ProviderKind::Deepseek => Self::DeepSeek,
            ProviderKind::Openrouter => Self::OpenRouter,
            _ => Self::Compatible,
        }
    }
}

/// OpenAI's limit for the ID of a call.
const MAX_ID_BYTES: usize = 40;

/// The model of DeepSeek's that takes no two messages of the model's in a row either.
const ALTERNATING_MODEL: &str = "deepseek-reasoner";

pub(crate) struct OpenAiChat {
    model: String,
    dialect: Dialect,
    /// Known to take no images.
    is_blind: bool,
    /// Known to refuse to be told how much to reason.
    refuses_effort: bool,
}

impl OpenAiChat {
    pub(crate) fn new(settings: &ProviderSettings, model: &str) -> Self {
        let known = catalogue::model_info(settings, model);
        let dialect = settings.kind.into();
        let refuses_effort = dialect == Dialect::OpenAi && !known.assumes_capabilities && !known.thinks();
        Self { model: model.to_owned(), dialect, is_blind: known.is_blind(), refuses_effort }
    }

    /// OpenAI refuses longer ids, as other vendors' calls may have; servers' own ids go back as they came.
    fn call_id<'a>(&self, id: &'a CallId) -> Cow<'a, str> {
        acceptable_id(id, if self.dialect == Dialect::OpenAi { MAX_ID_BYTES } else { usize::MAX })
    }
}

impl WireFormat for OpenAiChat {
    fn path(&self) -> String {
        "/chat/completions".to_owned()
    }

    /// OpenRouter asks applications to say who they are: <https://openrouter.ai/docs/app-attribution>.
    fn headers(&self, key: Option<&Secret>) -> Headers {
        let mut headers = bearer(key)?;
        if self.dialect == Dialect::OpenRouter {
            headers.push((
                HeaderName::from_static("http-referer"),
                HeaderValue::from_static(env!("CARGO_PKG_REPOSITORY")),
            ));
            headers.push((HeaderName::from_static("x-title"), HeaderValue::from_static("Arki")));
        }
        Ok(headers)
    }

    fn head(&self, request: &ChatRequest) -> Result<Vec<u8>, Error> {
        let mut head = open_list(&head(self, request), "messages")?;
        // DeepSeek knows no schemas, so that it is told in words; its promise of JSON would keep it from calling tools.
        let system = system_text(request, self.dialect == Dialect::DeepSeek);
        if !system.is_empty() {
            head.extend_from_slice(&to_json(&Entry::System { content: &system })?);
        }
        Ok(head)
    }

    fn optional_in_messages(&self) -> &'static [&'static str] {
        &["reasoning_content", "reasoning", "reasoning_details", "tool_calls.extra_content"]
    }

    /// The chat templates of many servers demand that users and model take turns.
    fn joins(&self, message: &Message, next: &Message) -> bool {
        let is_users = |message| matches!(message, &Message::User { .. });
        let is_models = |message| matches!(message, &Message::Assistant { .. } | &Message::ToolRequest { .. });
        let joins_models = self.dialect == Dialect::DeepSeek && self.model == ALTERNATING_MODEL;
        (is_users(message) && is_users(next)) || (joins_models && is_models(message) && is_models(next))
    }

    fn write(&self, group: &[Arc<Message>], images: &Images, out: &mut Vec<u8>) -> Result<(), Error> {
        if let Some(entry) = Entry::new(self, group, images) {
            out.extend_from_slice(&to_json(&entry)?);
        }
        Ok(())
    }

    fn decoder(&self) -> Box<dyn AnswerDecoder> {
        Box::new(ChatDecoder::new(self.dialect, &self.model))
    }
}

/// The part of a request before the messages.
fn head<'a>(format: &'a OpenAiChat, request: &'a ChatRequest) -> Head<'a> {
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
