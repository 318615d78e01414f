//! Keys, providers and models, and the settings that name them.

pub(crate) mod config_keys;
pub(crate) mod environment_keys;
pub(crate) mod keys;
pub(crate) mod local_servers;
pub(crate) mod model_entry;
pub(crate) mod placeholder_key;
pub(crate) mod provider_test;
pub(crate) mod settings;
pub(crate) mod user_config;

use crate::Directories;
use arki_config::Config;
use arki_llm::{ModelMemory, Providers};
use arki_redaction::Redactor;
use environment_keys::EnvironmentKeys;
use keys::Keys;
use std::sync::{Arc, Mutex, PoisonError};

/// The user's configuration, keys and providers.
pub struct Accounts {
    directories: Directories,
    keys: Arc<Keys>,
    redactor: Redactor,
    memory: Arc<dyn ModelMemory>,
    /// Kept while the configuration they were made from stays the same: connections and the demo's server live in it.
    made: Mutex<Option<(String, Arc<Providers>)>>,
}

impl Accounts {
    pub(crate) fn new(
        directories: Directories,
        redactor: Redactor,
        environment_keys: EnvironmentKeys,
        memory: Arc<dyn ModelMemory>,
    ) -> Self {
        let keys = Arc::new(Keys::new(redactor.clone(), environment_keys));
        Self { directories, keys, redactor, memory, made: Mutex::default() }
    }

    pub(crate) fn keys(&self) -> &Arc<Keys> {
        &self.keys
    }

    /// The providers of a configuration; the same ones as long as it says the same.
    pub(crate) fn providers(&self, config: &Config) -> Arc<Providers> {
        let signature = config.provider_signature();
        let mut kept = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        match &*kept {
            Some((of, providers)) if *of == signature => providers.clone(),
            _ => {
                self.keys.redact_environment(&config.providers);
                let providers = Providers::new(config.providers.clone(), self.keys.clone());
                let providers = Arc::new(providers.remembering(&self.memory));
                *kept = Some((signature, providers.clone()));
                providers
            }
        }
    }

    /// Looks for keys anew: one was stored or removed.
    pub(crate) fn forget_providers(&self) {
        *self.made.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}
