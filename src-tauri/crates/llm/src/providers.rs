//! The configured providers, and the way from `provider/model` to something that answers.

use crate::catalogue::{self, ModelInfo};
use crate::openai_chat::OpenAiChat;
use crate::provider_connection::ProviderConnection;
use crate::{KeySource, ProviderKind, ProviderSettings};
use arki_domain::{ChatModel, Code, Fault};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Every provider, by name. Making it costs nothing: clients, keys and the demo's server come with the first request.
pub struct Providers {
    connections: BTreeMap<String, Arc<ProviderConnection>>,
}

impl Providers {
    /// `demo` is always among them, unless the configuration uses that name itself. A later entry of the same name wins.
    pub fn new(settings: Vec<ProviderSettings>, keys: Arc<dyn KeySource>) -> Self {
        let demo = ProviderSettings::new("demo", ProviderKind::Demo);
        let connections = std::iter::once(demo)
            .chain(settings)
            .map(move |settings| {
                (settings.name.clone(), Arc::new(ProviderConnection::new(settings, Arc::clone(&keys))))
            })
            .collect();
        Self { connections }
    }

    /// The model that `provider/model` names; the model's name may itself contain slashes.
    ///
    /// One returned model remembers the bytes of one growing conversation: take one a run. Those of the same provider
    /// share their connections and key.
    ///
    /// # Errors
    /// `UNKNOWN_PROVIDER` when there is no such provider or its kind is not supported yet, `CONFIG_INVALID` when the name
    /// has no slash.
    pub fn model(&self, reference: &str) -> Result<Arc<dyn ChatModel>, Fault> {
        let (provider, model) = split_reference(reference)?;
        let connection = self.connections.get(provider).ok_or_else(|| self.unknown(provider))?;
        match connection.settings().kind {
            ProviderKind::OpenaiChat | ProviderKind::Custom | ProviderKind::Demo => {
                if connection.settings().kind != ProviderKind::Demo {
                    connection.settings().effective_base_url()?;
                }
                Ok(Arc::new(OpenAiChat::new(Arc::clone(connection), model)))
            }
            ProviderKind::Openai
            | ProviderKind::Anthropic
            | ProviderKind::Gemini
            | ProviderKind::Deepseek
            | ProviderKind::Ollama
            | ProviderKind::Openrouter => Err(not_yet(connection.settings())),
        }
    }

    /// In the order of their names.
    pub fn settings(&self) -> impl Iterator<Item = &ProviderSettings> {
        self.connections.values().map(|connection| connection.settings())
    }

    /// The models that are known without asking anybody: the configured ones and the demo's.
    #[must_use]
    pub fn models(&self) -> Vec<ModelInfo> {
        self.settings().flat_map(catalogue::models_of).collect()
    }

    /// What is known of `provider/model`, with defaults for the rest.
    ///
    /// # Errors
    /// As [`Providers::model`], but for kinds that are not supported yet.
    pub fn model_info(&self, reference: &str) -> Result<ModelInfo, Fault> {
        let (provider, model) = split_reference(reference)?;
        let connection = self.connections.get(provider).ok_or_else(|| self.unknown(provider))?;
        Ok(catalogue::model_info(connection.settings(), model))
    }

    fn unknown(&self, provider: &str) -> Fault {
        let known: Vec<&str> = self.connections.keys().map(String::as_str).collect();
        Fault::new(
            Code::UNKNOWN_PROVIDER,
            format!("There is no provider “{provider}”."),
            format!("Add it under \"providers\" in config.json, or use one of: {}.", known.join(", ")),
        )
    }
}

fn split_reference(reference: &str) -> Result<(&str, &str), Fault> {
    match reference.split_once('/') {
        Some((provider, model)) if !provider.is_empty() && !model.is_empty() => Ok((provider, model)),
        _ => Err(Fault::new(
            Code::CONFIG_INVALID,
            format!("“{reference}” does not name a model."),
            "Write it as PROVIDER/MODEL, for example demo/demo.",
        )),
    }
}

fn not_yet(settings: &ProviderSettings) -> Fault {
    Fault::new(
        Code::UNKNOWN_PROVIDER,
        format!("Providers of the kind {} come in a later version of Arki.", settings.kind),
        format!(
            "Where “{}” also offers Chat Completions, set its \"kind\" to openai-chat or custom and its \"baseUrl\".",
            settings.name
        ),
    )
}
