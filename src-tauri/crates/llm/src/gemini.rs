//! Google's Gemini: `streamGenerateContent`, and the servers that speak the same.
//!
//! What the user, the tools and the system say one after another is one entry, what the model says another. Signatures
//! of thoughts go back on the very parts on which they came.

mod contents;
mod generation;
mod kept_parts;
mod response;
mod schema;
#[cfg(test)]
mod stream_tests;
mod wire;

use crate::answer_decoder::AnswerDecoder;
use crate::request_parts::{Images, open_list, system_text};
use crate::wire_format::{Headers, WireFormat, key_header};
use crate::{ProviderSettings, Secret};
use arki_domain::{ChatRequest, Error, Message};
use generation::Generation;
use response::GeminiDecoder;
use serde_json::Value;
use std::sync::Arc;
use wire::{Declaration, GenerationConfig, Head, Part, Role, SystemInstruction, Tools};

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

    fn headers(&self, key: Option<&Secret>) -> Headers {
        key_headers(key)
    }

    fn head(&self, request: &ChatRequest) -> Result<Vec<u8>, Error> {
        let system = system_text(request, !is_schema_sent(&self.generation, request));
        open_list(&head(&self.generation, &system, request), "contents")
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

pub(crate) fn key_headers(key: Option<&Secret>) -> Headers {
    key_header("x-goog-api-key", key)
}

/// The part of a request before the contents.
fn head<'a>(generation: &Generation, system: &'a str, request: &'a ChatRequest) -> Head<'a> {
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
        system_instruction: (!system.is_empty()).then(|| SystemInstruction { parts: [Part::text(system)] }),
        tools: (!declarations.is_empty()).then_some([Tools { function_declarations: declarations }]),
        generation_config: Some(config).filter(|config| *config != GenerationConfig::default()),
        service_tier: options.flex.then_some("flex"),
    }
}

/// Returns whether the schema is sent. Before the third generation a prescribed form and tools exclude each other.
fn is_schema_sent(generation: &Generation, request: &ChatRequest) -> bool {
    request.tools.is_empty() || generation.takes_schema_with_tools()
}
