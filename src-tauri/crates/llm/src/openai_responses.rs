//! OpenAI's Responses, without state at the vendor: every request carries the whole conversation, and nothing is stored
//! there.

mod input;
mod kept;
mod output;
mod request;
mod response;
#[cfg(test)]
mod stream_tests;
mod wire;

use crate::answer_decoder::AnswerDecoder;
use crate::request_parts::{Images, open_list};
use crate::wire_format::WireFormat;
use crate::{Capability, ProviderSettings, catalogue};
use arki_domain::{ChatRequest, Error, Message};
use response::ResponsesDecoder;
use std::sync::Arc;

/// <https://platform.openai.com/docs/api-reference/responses>
pub(crate) struct OpenAiResponses {
    model: String,
    /// `PROVIDER/MODEL`: only there what was encrypted can be read again.
    origin: String,
    /// Other models refuse to be asked for their reasoning. `None` where nothing is known of the model.
    reasons: Option<bool>,
}

impl OpenAiResponses {
    pub(crate) fn new(settings: &ProviderSettings, model: &str) -> Self {
        let known = catalogue::model_info(settings, model);
        let reasons = known.capabilities.contains(&Capability::Reasoning);
        let reasons = (reasons || !known.assumes_capabilities).then_some(reasons);
        Self { model: model.to_owned(), origin: format!("{}/{model}", settings.name), reasons }
    }
}

impl WireFormat for OpenAiResponses {
    fn path(&self) -> String {
        "/responses".to_owned()
    }

    fn head(&self, request: &ChatRequest) -> Result<Vec<u8>, Error> {
        open_list(&request::head(&self.model, self.reasons, request)?, "input")
    }

    fn write(&self, group: &[Arc<Message>], images: &Images, out: &mut Vec<u8>) -> Result<(), Error> {
        group.iter().try_for_each(|message| input::write(message, &self.origin, images, out))
    }

    fn decoder(&self) -> Box<dyn AnswerDecoder> {
        Box::new(ResponsesDecoder::new(&self.origin))
    }
}
