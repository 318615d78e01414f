//! Facts about the models of local servers, asked once for each and kept for all runs: above all the size of the
//! context window, which nobody else knows.

use super::ProviderConnection;
use crate::ProviderKind;
use crate::catalogue::{self, ModelInfo};
use crate::local_models::{self, is_asked};
use crate::model_list::ListedModel;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::OnceCell;
use tokio::time::timeout;

/// The time that the asking itself may take. Nobody waits for that: what comes late serves the next run.
const ASKING: Duration = Duration::from_secs(10);
/// Ollama has to be told the window with the first request. It answers within milliseconds, unless its disk sleeps.
const OLLAMA_PATIENCE: Duration = Duration::from_secs(1);
/// The time that the first request waits for the list; for other providers it does not depend on it.
const PATIENCE: Duration = Duration::from_millis(100);

/// The listed models, by name. A question that failed is asked again by the next run.
#[derive(Default)]
pub(crate) struct Learned(Mutex<HashMap<String, Arc<OnceCell<ListedModel>>>>);

impl Learned {
    fn of(&self, model: &str) -> Arc<OnceCell<ListedModel>> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(known.entry(model.to_owned()).or_default())
    }

    /// Replaces what was known before: a server may have been started again.
    pub(super) fn put(&self, models: &[ListedModel]) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for model in models {
            known.insert(model.id.clone(), Arc::new(OnceCell::new_with(Some(model.clone()))));
        }
    }
}

impl ProviderConnection {
    /// Returns what the server says of the model; `None` where it is not asked (vendors are in the catalogue), does not
    /// know the model, or does not say so at once. A fault is nobody's concern here: the request that follows meets it
    /// too.
    async fn learn(self: &Arc<Self>, model: &str) -> Option<ListedModel> {
        if !is_asked(&self.settings) {
            return None;
        }
        let known = self.learned.of(model);
        if let Some(listed) = known.get() {
            return Some(listed.clone());
        }
        let patience = if self.settings.kind == ProviderKind::Ollama { OLLAMA_PATIENCE } else { PATIENCE };
        let (connection, name) = (Arc::clone(self), model.to_owned());
        let asking = tokio::spawn(async move {
            let asked = known.get_or_try_init(|| async { connection.ask_of(&name).await.ok_or(()) }).await;
            asked.ok().cloned()
        });
        timeout(patience, asking).await.ok()?.ok()?
    }

    /// Returns whether the user has set all there is to know about the window, but for Ollama's own bound.
    fn is_told(&self, model: &str) -> bool {
        let configured = self.settings.models.get(model).is_some_and(|model| model.context_window.is_some());
        configured && self.settings.kind != ProviderKind::Ollama
    }

    /// Returns what a run has to know of the model; no server is asked for what the user has said.
    pub(crate) async fn needed_info(self: &Arc<Self>, model: &str) -> ModelInfo {
        match self.is_told(model) {
            true => catalogue::model_info(&self.settings, model),
            false => self.model_info(model).await,
        }
    }

    /// Returns what is known of the model, by its server too.
    pub(crate) async fn model_info(self: &Arc<Self>, model: &str) -> ModelInfo {
        match self.learn(model).await {
            Some(listed) => local_models::info(&self.settings, model, &listed),
            None => catalogue::model_info(&self.settings, model),
        }
    }

    async fn ask_of(&self, model: &str) -> Option<ListedModel> {
        match timeout(ASKING, self.describe(model)).await {
            Ok(Ok(described)) => described,
            Ok(Err(fault)) => {
                tracing::debug!(provider = self.settings.name, model, %fault, "the model's window was not told");
                None
            }
            Err(_) => None,
        }
    }
}
