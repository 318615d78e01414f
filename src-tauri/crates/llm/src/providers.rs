//! The configured providers, and the way from `provider/model` to something that answers.

use crate::admission::LocalUse;
use crate::anthropic::Anthropic;
use crate::catalogue::{self, ModelInfo};
use crate::demo::DemoModel;
use crate::gemini::Gemini;
use crate::growing_request::{WrittenAgain, rewrite};
use crate::ollama::Ollama;
use crate::openai_chat::OpenAiChat;
use crate::openai_responses::OpenAiResponses;
use crate::provider_connection::ProviderConnection;
use crate::wire_format::WireFormat;
use crate::wire_model::WireModel;
use crate::{KeySource, ModelMemory, ProviderKind, ProviderSettings};
use arki_domain::{ChatModel, ChatRequest, Code, Error};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Every provider, by name. Making it costs nothing: clients and keys come with the first request.
pub struct Providers {
    connections: BTreeMap<String, Arc<ProviderConnection>>,
}

impl Providers {
    /// `demo` is always among them, unless the configuration uses that name itself. A later entry of the same name wins.
    pub fn new(settings: Vec<ProviderSettings>, keys: Arc<dyn KeySource>) -> Self {
        let local_use = Arc::<LocalUse>::default();
        let demo = ProviderSettings::new("demo", ProviderKind::Demo);
        let connections = std::iter::once(demo)
            .chain(settings)
            .map(move |settings| {
                let name = settings.name.clone();
                (name, Arc::new(ProviderConnection::new(settings, Arc::clone(&keys), &local_use)))
            })
            .collect();
        Self { connections }
    }

    /// Keeps in `memory` what providers teach about their models.
    #[must_use]
    pub fn remembering(self, memory: &Arc<dyn ModelMemory>) -> Self {
        self.connections.values().for_each(|connection| connection.remember_in(Arc::clone(memory)));
        self
    }

    /// The model that `provider/model` names; the model's name may itself contain slashes.
    ///
    /// One returned model remembers the bytes of one growing conversation: take one a run. Those of the same provider
    /// share their connections and key.
    ///
    /// # Errors
    /// `UNKNOWN_PROVIDER` when there is no such provider, `CONFIG_INVALID` when the name has no slash or the provider no
    /// baseUrl, `MODEL_NOT_FOUND` when the demo has no such model: what others have, only they know.
    pub fn model(&self, reference: &str) -> Result<Arc<dyn ChatModel>, Error> {
        let (provider, model) = split_reference(reference)?;
        let connection = self.connection(provider)?;
        let settings = connection.settings();
        if settings.kind == ProviderKind::Demo {
            return Ok(Arc::new(DemoModel::new(settings, model)?));
        }
        settings.effective_base_url()?;
        let format = format_of(settings, model);
        Ok(Arc::new(WireModel::new(Arc::clone(connection), model, format)))
    }

    /// Writes a past request once more, in whichever way gives a body with the hash `wanted`, if any does. `head` is
    /// what the body began with, where that was kept. The provider need not be configured any more: whatever bytes have
    /// the hash are those that were sent.
    #[must_use]
    pub fn written_again(
        &self,
        provider: &str,
        model: &str,
        head: Option<&str>,
        request: &ChatRequest,
        wanted: &str,
    ) -> WrittenAgain {
        let configured = self.connections.get(provider).map(|connection| connection.settings());
        if configured.is_some_and(|settings| settings.kind == ProviderKind::Demo) {
            return DemoModel::written_again(model, request, wanted);
        }
        let guessed = ProviderKind::ALL.into_iter().map(|kind| Cow::Owned(ProviderSettings::new(provider, kind)));
        let mut settings = configured.map(Cow::Borrowed).into_iter().chain(guessed);
        let written = settings.find_map(|known| rewrite(&*format_of(&known, model), head, request, wanted));
        written.unwrap_or_else(|| WrittenAgain::unproven(request))
    }

    pub(crate) fn connections(&self) -> impl Iterator<Item = &ProviderConnection> {
        self.connections.values().map(AsRef::as_ref)
    }

    pub(crate) fn connection(&self, provider: &str) -> Result<&Arc<ProviderConnection>, Error> {
        self.connections.get(provider).ok_or_else(|| self.unknown(provider))
    }

    /// Returns the settings in the order of their names.
    pub fn settings(&self) -> impl Iterator<Item = &ProviderSettings> {
        self.connections.values().map(|connection| connection.settings())
    }

    /// The day the catalogue's data were gathered, as `2026-11-10`. Prices and windows may have changed since.
    #[must_use]
    pub fn catalogue_date() -> &'static str {
        catalogue::date()
    }

    /// The models that are known without asking anybody: the demo's, the configured ones, and of the configured
    /// vendors those in the catalogue.
    #[must_use]
    pub fn models(&self) -> Vec<ModelInfo> {
        self.settings().flat_map(catalogue::models_of).collect()
    }

    /// Returns what is known of `provider/model`, with defaults for the rest.
    ///
    /// # Errors
    /// As [`Providers::model`], but for the baseUrl.
    pub fn model_info(&self, reference: &str) -> Result<ModelInfo, Error> {
        let (provider, model) = split_reference(reference)?;
        let connection = self.connection(provider)?;
        Ok(catalogue::model_info(connection.settings(), model))
    }

    /// Returns the facts like [`Providers::model_info`], with what a local server says of the model, if it does so at
    /// once.
    pub async fn live_model_info(&self, reference: &str) -> Result<ModelInfo, Error> {
        let (provider, model) = split_reference(reference)?;
        let connection = self.connection(provider)?;
        Ok(connection.model_info(model).await)
    }

    /// `UNKNOWN_PROVIDER`, with the names that there are and, for a vendor's own, the command that adds it.
    #[must_use]
    pub fn unknown(&self, provider: &str) -> Error {
        let known: Vec<&str> = self.connections.keys().map(String::as_str).collect();
        let add = match ProviderKind::ALL.iter().any(|kind| kind.name() == provider) {
            true => format!("Add it with `arki providers add {provider} --kind {provider}`"),
            false => "Add it with `arki providers add`".to_owned(),
        };
        let hint = format!("{add} or in Settings, or use one of: {}.", known.join(", "));
        Error::new(Code::UNKNOWN_PROVIDER, format!("There is no provider “{provider}”."), hint)
    }
}

fn format_of(settings: &ProviderSettings, model: &str) -> Box<dyn WireFormat> {
    match settings.kind {
        ProviderKind::Openai => Box::new(OpenAiResponses::new(settings, model)),
        ProviderKind::Anthropic => Box::new(Anthropic::new(settings, model)),
        ProviderKind::Gemini => Box::new(Gemini::new(settings, model)),
        ProviderKind::Ollama => Box::new(Ollama::new(settings, model)),
        ProviderKind::OpenaiChat
        | ProviderKind::Deepseek
        | ProviderKind::Openrouter
        | ProviderKind::Custom
        | ProviderKind::Demo => Box::new(OpenAiChat::new(settings, model)),
    }
}

fn split_reference(reference: &str) -> Result<(&str, &str), Error> {
    match reference.split_once('/') {
        Some((provider, model)) if !provider.is_empty() && !model.is_empty() => Ok((provider, model)),
        _ => Err(Error::new(
            Code::CONFIG_INVALID,
            format!("“{reference}” does not name a model."),
            "Write it as PROVIDER/MODEL, for example demo/demo.",
        )),
    }
}
