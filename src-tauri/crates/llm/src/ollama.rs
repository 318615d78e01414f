//! Ollama's own API. Unlike its Chat Completions it can be told how much context to give the model: by default that is
//! little, and what does not fit is cut away without a word.
//!
//! How long a model stays loaded is left to the server.

mod response;
#[cfg(test)]
mod tests;
mod wire;

use crate::answer_decoder::AnswerDecoder;
use crate::request_parts::{FunctionTool, Images, open_list, system_text, to_json};
use crate::sse::Framing;
use crate::wire_format::WireFormat;
use crate::{Capability, ModelInfo, ProviderSettings, catalogue};
use arki_domain::{ChatRequest, Error, Message};
use response::OllamaDecoder;
use std::sync::{Arc, OnceLock};

/// <https://docs.ollama.com/api/chat>
pub(crate) struct Ollama {
    model: String,
    /// A request depends on its window and on whether it thinks; the window has to be the same in every request, as
    /// another one makes Ollama load the model anew.
    assumed: ModelInfo,
    /// The server's answer, if it came in time.
    told: OnceLock<ModelInfo>,
}

impl Ollama {
    pub(crate) fn new(settings: &ProviderSettings, model: &str) -> Self {
        let assumed = catalogue::model_info(settings, model);
        Self { model: model.to_owned(), assumed, told: OnceLock::new() }
    }

    fn known(&self) -> &ModelInfo {
        self.told.get().unwrap_or(&self.assumed)
    }
}

impl WireFormat for Ollama {
    fn learn(&self, model: &ModelInfo) {
        self.told.get_or_init(|| model.clone());
    }

    fn path(&self) -> String {
        "/api/chat".to_owned()
    }

    fn head(&self, request: &ChatRequest) -> Result<Vec<u8>, Error> {
        let mut head = open_list(&head(self, request), "messages")?;
        // A model that is held to a form from its first token on cannot call a tool, so that it is asked for in words then.
        let system = system_text(request, !request.tools.is_empty());
        if !system.is_empty() {
            head.extend_from_slice(&to_json(&wire::Message::System { content: &system })?);
        }
        Ok(head)
    }

    /// The chat templates of many models demand that users and model take turns.
    fn joins(&self, message: &Message, next: &Message) -> bool {
        matches!((message, next), (Message::User { .. }, Message::User { .. }))
    }

    fn write(&self, group: &[Arc<Message>], images: &Images, out: &mut Vec<u8>) -> Result<(), Error> {
        let [message, rest @ ..] = group else { return Ok(()) };
        let mut entry = wire::Message::new(message, images);
        rest.iter().for_each(|next| entry.join(wire::Message::new(next, images)));
        out.extend_from_slice(&to_json(&entry)?);
        Ok(())
    }

    fn framing(&self) -> Framing {
        Framing::JsonLines
    }

    fn decoder(&self) -> Box<dyn AnswerDecoder> {
        Box::new(OllamaDecoder::default())
    }
}

fn head<'a>(format: &'a Ollama, request: &'a ChatRequest) -> wire::Head<'a> {
    let options = &request.options;
    wire::Head {
        model: &format.model,
        stream: true,
        truncate: false,
        shift: false,
        options: wire::Options { num_ctx: format.known().context_window, num_predict: options.max_completion_tokens },
        think: options.reasoning_effort.as_deref().and_then(|effort| think(format, effort)),
        format: options.output_schema.as_ref().filter(|_| request.tools.is_empty()),
        tools: request.tools.iter().map(FunctionTool::from).collect(),
    }
}

/// gpt-oss takes a level and nothing else; every other model takes no level. `true` makes an error of a model that
/// cannot think, and those that can do so unasked, so that it is said only of models that are known to.
fn think<'a>(format: &Ollama, effort: &'a str) -> Option<wire::Think<'a>> {
    let name = format.model.rsplit('/').next().unwrap_or_default();
    match effort {
        "minimal" if name.starts_with("gpt-oss") => Some(wire::Think::Level("low")),
        _ if name.starts_with("gpt-oss") => Some(wire::Think::Level(effort)),
        _ => format.known().capabilities.contains(&Capability::Reasoning).then_some(wire::Think::Switch(true)),
    }
}
