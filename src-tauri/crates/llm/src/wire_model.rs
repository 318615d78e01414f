//! A model of a provider, whatever its wire format.

use crate::Capability;
use crate::answer::{self, AnswerContext, NoteRefusal};
use crate::catalogue::{self, ModelInfo};
use crate::growing_request::GrowingRequest;
use crate::provider_connection::{ProviderConnection, Reply};
use crate::refused_parameters::RefusedParameters;
use crate::sse::{ByteStream, Framing, begun, body_of};
use crate::wire_format::WireFormat;
use arki_domain::{ChatModel, ChatRequest, ChatStream, Error, PreparedRequest};
use async_trait::async_trait;
use futures_util::TryStreamExt;
use reqwest::header::CONTENT_TYPE;
use std::sync::Arc;
use tokio::sync::OnceCell;

/// The number of characters shown of a web page's title.
const MAX_TITLE_CHARS: usize = 100;

/// The part of a request that a model refuses which takes no tools.
const TOOLS: &str = "tools";

/// Remembers the bytes of one growing conversation: one a run.
pub(crate) struct WireModel {
    connection: Arc<ProviderConnection>,
    model: String,
    format: Box<dyn WireFormat>,
    written: GrowingRequest,
    /// The facts about the model, once its server was asked.
    known: OnceCell<ModelInfo>,
}

impl WireModel {
    pub(crate) fn new(connection: Arc<ProviderConnection>, model: &str, format: Box<dyn WireFormat>) -> Self {
        let (written, known) = (GrowingRequest::default(), OnceCell::new());
        Self { connection, model: model.to_owned(), format, written, known }
    }

    /// Returns a function that remembers the part of this request that an error refuses.
    fn note_refusal(&self, request: &PreparedRequest) -> NoteRefusal {
        let (connection, model) = (Arc::clone(&self.connection), self.model.clone());
        let (required, optional) = (self.format.required_options(), self.format.optional_in_messages());
        let (body, head_bytes) = (request.body.clone(), request.head_bytes);
        Box::new(move |error| {
            let has = |part: &str| {
                let name = format!("\"{}\":", part.rsplit('.').next().unwrap_or(part));
                body.windows(name.len()).any(|bytes| bytes == name.as_bytes())
            };
            let optional: Vec<&str> = optional.iter().copied().filter(|part| has(part)).collect();
            if error.refuses_tools() {
                return connection.note_refused(&model, TOOLS.to_owned());
            }
            let head = body.get(..head_bytes).unwrap_or_default();
            if let Some(refused) = RefusedParameters::refused_by(error, head, required, &optional) {
                connection.note_refused(&model, refused);
            }
        })
    }

    fn known_info(&self) -> ModelInfo {
        let known = self.known.get().cloned();
        known.unwrap_or_else(|| catalogue::model_info(self.connection.settings(), &self.model))
    }
}

#[async_trait]
impl ChatModel for WireModel {
    fn provider(&self) -> &str {
        &self.connection.settings().name
    }

    fn model(&self) -> &str {
        &self.model
    }

    /// Once a run: what comes too late for its first request does not change its later ones.
    async fn learn(&self) {
        let learning = async {
            let known = self.connection.needed_info(&self.model).await;
            self.format.learn(&known);
            known
        };
        self.known.get_or_init(|| learning).await;
        self.connection.recall_refused(&self.model).await;
        self.connection.recall_window(&self.model, self.known_info().context_window).await;
    }

    fn takes_tools(&self) -> bool {
        self.known_info().takes_tools() && !self.connection.refused(&self.model).iter().any(|part| part == TOOLS)
    }

    fn sees_pictures(&self) -> bool {
        self.known_info().capabilities.contains(&Capability::Vision)
    }

    fn context_window(&self) -> Option<u64> {
        let known = self.known_info();
        let told = (!known.assumes_window).then_some(known.context_window);
        self.connection.refused_window(&self.model, known.context_window).or(told)
    }

    fn assumed_window(&self) -> Option<u64> {
        Some(self.known_info().context_window)
    }

    fn note_window(&self, tokens: u64) {
        self.connection.note_window(&self.model, self.known_info().context_window, tokens);
    }

    fn is_free(&self) -> bool {
        let price = catalogue::model_info(self.connection.settings(), &self.model).price;
        price.is_some_and(|price| price.is_free())
    }

    fn prepare(&self, request: &ChatRequest) -> Result<PreparedRequest, Error> {
        self.written.prepare(self.format.as_ref(), request, &self.connection.refused(&self.model))
    }

    async fn send(&self, request: PreparedRequest) -> Result<ChatStream, Error> {
        let note_refusal = self.note_refusal(&request);
        let Reply { response, target, place } =
            self.connection.post(self.format.as_ref(), request.body, &self.model, &note_refusal).await?;
        let media_type = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let media_type = media_type.unwrap_or_default().to_ascii_lowercase();
        let bytes = body_of(response, self.connection.settings().timeouts.idle, target.clone());
        let decoder = self.format.decoder();
        let settings = self.connection.settings();
        let price = catalogue::model_info(settings, &self.model).price;
        let drain = self.connection.drain();
        let context = AnswerContext { target, model: self.model.clone(), price, place, drain, note_refusal };
        let is_json = media_type.starts_with("application/json");
        // Labels are wrong often enough: what the answer begins with says what it is.
        let (first, bytes) = if is_json { (None, bytes) } else { begun(bytes).await? };
        let framing = self.format.framing();
        let is_events = framing == Framing::ServerSentEvents;
        if media_type.starts_with("text/html") || first == Some(b'<') {
            let page = read_all(bytes).await?;
            return Err(context.target.web_page(title(&page).as_deref()));
        }
        if is_json || (is_events && matches!(first, Some(b'{' | b'['))) {
            return answer::whole(&read_all(bytes).await?, decoder, &context);
        }
        Ok(answer::stream(bytes, framing, decoder, context))
    }
}

/// Bytes that are no UTF-8 become U+FFFD, as in a stream.
async fn read_all(bytes: ByteStream) -> Result<String, Error> {
    Ok(String::from_utf8_lossy(&bytes.try_collect::<Vec<_>>().await?.concat()).into_owned())
}

/// Returns the title of a web page, in one line.
fn title(page: &str) -> Option<String> {
    let (_, rest) = page.split_once("<title").or_else(|| page.split_once("<TITLE"))?;
    let (_, text) = rest.split_once('>')?;
    let text = text.split('<').next()?.split_whitespace().collect::<Vec<_>>().join(" ");
    let text: String = text.chars().filter(|character| !character.is_control()).take(MAX_TITLE_CHARS).collect();
    (!text.is_empty()).then_some(text)
}
