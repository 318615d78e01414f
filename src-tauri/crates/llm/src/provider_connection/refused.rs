//! The optional parts of requests that the provider has refused, by model. What one run was taught the next one knows,
//! also in another process.

use super::ProviderConnection;
use crate::fault::without_credentials;
use crate::refused_parameters::RefusedParameters;
use async_trait::async_trait;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Keeps what was learned of a model for later processes. What can't be kept is learned again.
#[async_trait]
pub trait ModelMemory: Send + Sync {
    async fn recall(&self, key: &str) -> Option<String>;
    /// Returns at once.
    fn keep(&self, key: String, value: String);
}

#[derive(Default)]
pub(super) struct Refused {
    by_model: Mutex<HashMap<String, RefusedParameters>>,
    memory: OnceLock<Arc<dyn ModelMemory>>,
}

impl ProviderConnection {
    pub(crate) fn remember_in(&self, memory: Arc<dyn ModelMemory>) {
        // Only the first counts.
        let _ = self.refused.memory.set(memory);
    }

    pub(crate) fn refused(&self, model: &str) -> RefusedParameters {
        self.with_refused(model, |refused| refused.clone())
    }

    pub(crate) fn note_refused(&self, model: &str, part: String) {
        tracing::info!(provider = self.settings.name, model, part, "a refused part of the request is left out");
        let refused = self.with_refused(model, |refused| {
            refused.add([part]);
            refused.iter().cloned().collect::<Vec<_>>().join("\n")
        });
        if let Some((memory, key)) = self.refused.memory.get().zip(self.memory_key(model)) {
            memory.keep(key, refused);
        }
    }

    /// Before the first request of a run.
    pub(crate) async fn recall_refused(&self, model: &str) {
        let Some((memory, key)) = self.refused.memory.get().zip(self.memory_key(model)) else { return };
        if let Some(kept) = memory.recall(&key).await {
            self.with_refused(model, |refused| refused.add(kept.lines().map(str::to_owned)));
        }
    }

    fn with_refused<T>(&self, model: &str, work: impl FnOnce(&mut RefusedParameters) -> T) -> T {
        let mut by_model = self.refused.by_model.lock().unwrap_or_else(PoisonError::into_inner);
        work(by_model.entry(model.to_owned()).or_default())
    }

    /// Another server under the same name has refused nothing yet.
    fn memory_key(&self, model: &str) -> Option<String> {
        let url = without_credentials(&self.settings.address().ok()?);
        // A later version may read refusals better.
        Some(format!("refused_parameters {} {} {url} {model}", env!("CARGO_PKG_VERSION"), self.settings.name))
    }
}
