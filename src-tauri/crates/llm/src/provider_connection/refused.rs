//! The lessons of a provider's refusals, by model: the optional parts of requests that it refuses, and a context window
//! smaller than the known one. They outlast the run and the process.

use super::ProviderConnection;
use crate::provider::without_credentials;
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
    /// The windows by model and known window: a window that is set anew, or that a server now reports, is not affected.
    windows: Mutex<HashMap<(String, u64), u64>>,
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
        if let Some((memory, key)) = self.memory("refused_parameters", model) {
            memory.keep(key, refused);
        }
    }

    /// Returns the window that refusals showed, where it is smaller than the known one.
    pub(crate) fn refused_window(&self, model: &str, known: u64) -> Option<u64> {
        let windows = self.refused.windows.lock().unwrap_or_else(PoisonError::into_inner);
        windows.get(&(model.to_owned(), known)).copied().filter(|tokens| *tokens < known)
    }

    pub(crate) fn note_window(&self, model: &str, known: u64, tokens: u64) {
        let tokens = self.take_window(model, known, tokens);
        tracing::info!(
            provider = self.settings.name,
            model,
            tokens,
            "the model's context window is smaller than known"
        );
        if let Some((memory, key)) = self.memory(&window_of(known), model) {
            memory.keep(key, tokens.to_string());
        }
    }

    fn take_window(&self, model: &str, known: u64, tokens: u64) -> u64 {
        let mut windows = self.refused.windows.lock().unwrap_or_else(PoisonError::into_inner);
        let window = windows.entry((model.to_owned(), known)).or_insert(tokens);
        *window = tokens.min(*window);
        *window
    }

    /// Recalls the window before each turn, since other processes learn too.
    pub(crate) async fn recall_window(&self, model: &str, known: u64) {
        let Some((memory, key)) = self.memory(&window_of(known), model) else {
            return;
        };
        if let Some(tokens) = memory.recall(&key).await.and_then(|kept| kept.parse().ok()) {
            self.take_window(model, known, tokens);
        }
    }

    /// Recalls the refused parts before the first request of a run.
    pub(crate) async fn recall_refused(&self, model: &str) {
        let Some((memory, key)) = self.memory("refused_parameters", model) else {
            return;
        };
        if let Some(kept) = memory.recall(&key).await {
            self.with_refused(model, |refused| refused.add(kept.lines().map(str::to_owned)));
        }
    }

    fn with_refused<T>(&self, model: &str, work: impl FnOnce(&mut RefusedParameters) -> T) -> T {
        let mut by_model = self.refused.by_model.lock().unwrap_or_else(PoisonError::into_inner);
        work(by_model.entry(model.to_owned()).or_default())
    }

    /// The memory, and the key of what was learned. Another server under the same name has refused nothing yet.
    fn memory(&self, learned: &str, model: &str) -> Option<(&Arc<dyn ModelMemory>, String)> {
        let url = without_credentials(&self.settings.address().ok()?);
        // A later version may read refusals better.
        let key = format!("{learned} {} {} {url} {model}", env!("CARGO_PKG_VERSION"), self.settings.name);
        Some((self.refused.memory.get()?, key))
    }
}

fn window_of(known: u64) -> String {
    format!("refused_window {known}")
}
