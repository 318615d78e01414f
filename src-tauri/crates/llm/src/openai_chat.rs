//! OpenAI's Chat Completions, and the servers that speak nearly the same.

mod dialect;
#[cfg(test)]
mod dialect_tests;
mod entry;
mod reasoning_details;
mod request;
mod response;
mod returned_thoughts;
#[cfg(test)]
mod stream_tests;
mod wire;

use crate::answer_decoder::AnswerDecoder;
use crate::call_names::acceptable_id;
use crate::image_data::Images;
use crate::json_parts::{open_list, to_json};
use crate::wire_format::{WireFormat, bearer};
use crate::{ProviderSettings, Secret, catalogue};
use arki_domain::{CallId, ChatRequest, Error, Message};
use dialect::Dialect;
use entry::Entry;
use reqwest::header::{HeaderName, HeaderValue, InvalidHeaderValue};
use response::ChatDecoder;
use std::borrow::Cow;
use std::sync::Arc;

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
        let is_blind = catalogue::is_blind(settings, model);
        let dialect = settings.kind.into();
        let refuses_effort = dialect == Dialect::OpenAi && catalogue::does_not_reason(settings, model);
        Self { model: model.to_owned(), dialect, is_blind, refuses_effort }
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
    fn headers(&self, key: Option<&Secret>) -> Result<Vec<(HeaderName, HeaderValue)>, InvalidHeaderValue> {
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
        let mut head = open_list(&request::head(self, request), "messages")?;
        let system = request::system(self.dialect, request);
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
