//! The embedded model: plays a script in this process, without a key and without a network.
//!
//! `demo` shows a whole job in whatever folder it is asked in, by reading the tools' results in the conversation; `echo`
//! repeats the last user message. Both are deterministic.

mod conversation;
mod edit_proposal;
mod playback;
mod script;
mod summary;

use crate::ProviderSettings;
use crate::catalogue::DEMO_MODELS;
use crate::growing_request::WrittenAgain;
use crate::prompt;
use arki_domain::{ChatModel, ChatRequest, ChatStream, Code, Error, Message, PreparedRequest, sha256_hex};
use async_trait::async_trait;
use conversation::{DemoConversation, Request};
use script::Turn;
use std::sync::Arc;
use std::time::Duration;

pub(crate) struct DemoModel {
    provider: String,
    model: String,
    next_turn: fn(&DemoConversation) -> Turn,
    word_pause: Duration,
}

impl DemoModel {
    /// # Errors
    /// `MODEL_NOT_FOUND` for a model that it doesn't have.
    pub(crate) fn new(settings: &ProviderSettings, model: &str) -> Result<Self, Error> {
        let next_turn = match model {
            "demo" => script::next,
            "echo" => script::echo,
            _ => {
                let message = format!("{} has no model “{model}”.", settings.name);
                let hint = format!("Its models are: {}.", DEMO_MODELS.join(", "));
                return Err(Error::new(Code::MODEL_NOT_FOUND, message, hint));
            }
        };
        let (provider, model) = (settings.name.clone(), model.to_owned());
        Ok(Self { provider, model, next_turn, word_pause: settings.demo_word_pause })
    }

    pub(crate) fn written_again(model: &str, request: &ChatRequest, wanted: &str) -> WrittenAgain {
        match written(model, request) {
            Ok((messages, body)) if sha256_hex(&body) == wanted => WrittenAgain { messages, body: Some(body.into()) },
            _ => WrittenAgain::unproven(request),
        }
    }
}

/// The body of a request, and the messages that it is of.
fn written(model: &str, request: &ChatRequest) -> Result<(Vec<Arc<Message>>, Vec<u8>), Error> {
    let messages = prompt::sendable(&request.messages, &request.images).messages;
    if messages.is_empty() {
        return Err(prompt::nothing_to_answer());
    }
    let body = Request::written(model, request, &messages)
        .map_err(|error| Error::internal(format!("the demo model's request: {error}")))?;
    Ok((messages, body))
}

#[async_trait]
impl ChatModel for DemoModel {
    fn provider(&self) -> &str {
        &self.provider
    }

    fn model(&self) -> &str {
        &self.model
    }

    fn is_free(&self) -> bool {
        true
    }

    fn prepare(&self, request: &ChatRequest) -> Result<PreparedRequest, Error> {
        let (_, body) = written(&self.model, request)?;
        let message_count = usize::from(!request.system.is_empty()) + request.messages.len();
        Ok(PreparedRequest { request_hash: sha256_hex(&body), message_count, head_bytes: 0, body: body.into() })
    }

    async fn send(&self, request: PreparedRequest) -> Result<ChatStream, Error> {
        let request: Request = serde_json::from_slice(&request.body)
            .map_err(|error| Error::internal(format!("the demo model's request: {error}")))?;
        let conversation = DemoConversation::of(&request);
        Ok(playback::play(&request, (self.next_turn)(&conversation), self.word_pause))
    }
}
