//! Google's Gemini: `streamGenerateContent`, and the servers that speak the same.
//!
//! What the user, the tools and the system say one after another is one entry, what the model says another. Signatures
//! of thoughts go back on the very parts on which they came.

mod contents;
mod generation;
mod kept_parts;
mod request;
mod response;
mod said;
mod schema;
#[cfg(test)]
mod stream_tests;
mod wire;

use crate::answer_decoder::AnswerDecoder;
use crate::image_data::Images;
use crate::json_parts::open_list;
use crate::wire_format::WireFormat;
use crate::{ProviderSettings, Secret};
use arki_domain::{ChatRequest, Error, Message};
use generation::Generation;
use reqwest::header::{HeaderName, HeaderValue, InvalidHeaderValue};
use response::GeminiDecoder;
use serde_json::Value;
use std::sync::Arc;
use wire::Role;

/// The name under which signatures are kept.
const FORMAT: &str = "gemini";

/// <https://ai.google.dev/api/generate-content>
pub(crate) struct Gemini {
    /// The model's name without `models/`, which Gemini's own list of models puts before it.
    model: String,
    /// `PROVIDER/MODEL`: only there its signatures hold.
    origin: String,
    generation: Generation,
}

impl Gemini {
    pub(crate) fn new(settings: &ProviderSettings, model: &str) -> Self {
        let model = model.strip_prefix("models/").unwrap_or(model);
        let origin = format!("{}/{model}", settings.name);
        Self { model: model.to_owned(), origin, generation: Generation::of(model) }
    }
}

impl WireFormat for Gemini {
    fn path(&self) -> String {
        format!("/v1beta/models/{}:streamGenerateContent?alt=sse", self.model)
    }

    fn headers(&self, key: Option<&Secret>) -> Result<Vec<(HeaderName, HeaderValue)>, InvalidHeaderValue> {
        let header =
            |key: &Secret| Ok((HeaderName::from_static("x-goog-api-key"), HeaderValue::try_from(key.expose())?));
        key.map(header).into_iter().collect()
    }

    fn head(&self, request: &ChatRequest) -> Result<Vec<u8>, Error> {
        let system = request::system(&self.generation, request);
        open_list(&request::head(&self.generation, &system, request), "contents")
    }

    fn narrowed(&self, schema: Value) -> Option<Value> {
        Some(schema::narrowed(&schema))
    }

    fn before_first(&self, first: &Message) -> &'static [u8] {
        match contents::role(first) {
            Role::User => b"",
            Role::Model => br#"{"role":"user","parts":[{"text":"(The conversation begins earlier.)"}]},"#,
        }
    }

    /// A call and its results are written together, as a result carries the id that the call came with.
    fn joins(&self, message: &Message, next: &Message) -> bool {
        contents::role(message) == contents::role(next) || matches!(next, Message::ToolResult { .. })
    }

    fn write(&self, group: &[Arc<Message>], images: &Images, out: &mut Vec<u8>) -> Result<(), Error> {
        contents::write(group, &self.origin, &self.generation, images, out)
    }

    fn decoder(&self) -> Box<dyn AnswerDecoder> {
        Box::new(GeminiDecoder::new(&self.origin))
    }
}
