//! OpenAI's Chat Completions, and the servers that speak nearly the same.

mod request;
mod response;
#[cfg(test)]
mod stream_tests;
mod wire;

use crate::ProviderKind;
use crate::answer::{self, AnswerContext};
use crate::provider_connection::{ProviderConnection, Reply};
use crate::sse::body_of;
use arki_domain::{ChatModel, ChatRequest, ChatStream, Fault, PreparedRequest};
use async_trait::async_trait;
use futures_util::TryStreamExt;
use request::{Dialect, RequestWriter};
use reqwest::header::CONTENT_TYPE;
use response::ChatDecoder;
use std::sync::Arc;

const PATH: &str = "/chat/completions";

pub(crate) struct OpenAiChat {
    connection: Arc<ProviderConnection>,
    model: String,
    writer: RequestWriter,
}

impl OpenAiChat {
    pub(crate) fn new(connection: Arc<ProviderConnection>, model: &str) -> Self {
        let dialect = match connection.settings().kind {
            ProviderKind::OpenaiChat => Dialect::OpenAi,
            _ => Dialect::Compatible,
        };
        Self { connection, model: model.to_owned(), writer: RequestWriter::new(model, dialect) }
    }

    /// Only what costs nothing by its nature has a price here.
    fn cost_usd(&self) -> Option<f64> {
        self.connection.settings().is_local.then_some(0.0)
    }
}

#[async_trait]
impl ChatModel for OpenAiChat {
    fn provider(&self) -> &str {
        &self.connection.settings().name
    }

    fn model(&self) -> &str {
        &self.model
    }

    fn prepare(&self, request: &ChatRequest) -> Result<PreparedRequest, Fault> {
        self.writer.prepare(request)
    }

    async fn send(&self, request: PreparedRequest) -> Result<ChatStream, Fault> {
        let Reply { response, target, place } = self.connection.post(PATH, request.body, &self.model).await?;
        let media_type = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let media_type = media_type.unwrap_or_default().to_ascii_lowercase();
        let bytes = body_of(response, self.connection.settings().timeouts.idle, target.clone());
        let decoder = ChatDecoder::new(self.cost_usd());
        let context = AnswerContext { target, model: self.model.clone(), place, drain: self.connection.drain() };
        if media_type.starts_with("text/html") {
            return Err(context.target.bad_answer("it is a web page"));
        }
        if !media_type.starts_with("application/json") {
            return Ok(answer::stream(bytes, decoder, context));
        }
        let body = bytes.try_collect::<Vec<_>>().await?.concat();
        let body = std::str::from_utf8(&body).map_err(|_| context.target.bad_answer("it is not UTF-8"))?;
        answer::whole(body, decoder, &context)
    }
}
