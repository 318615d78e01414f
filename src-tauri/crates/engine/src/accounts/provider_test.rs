//! Asking providers what only they can say: whether they work, and which models a local one has.

use crate::Engine;
use crate::wire::{LiveModelList, ModelEntry, ProviderTestStep, SilentProvider};
use arki_domain::Fault;
use arki_llm::Providers;

impl Engine {
    /// Tests a provider as it is configured now, and one of its models where a name is given: that costs a request of a
    /// few tokens. `on_step` is told each step as it ends; the first that fails is the last. True when none failed.
    ///
    /// # Errors
    /// `UNKNOWN_PROVIDER`, or when the configuration has an error.
    pub async fn test_provider(
        &self,
        provider: &str,
        model: Option<&str>,
        on_step: &mut (dyn FnMut(ProviderTestStep) + Send),
    ) -> Result<bool, Fault> {
        let config = self.user_config()?;
        self.keys.redact_environment(&config.providers);
        // Made anew: neither a key that was replaced meanwhile nor a busy queue should decide the test.
        let providers = Providers::new(config.providers, self.keys.clone());
        let mut told = |step: ProviderTestStep| on_step(step.redacted(&self.redactor));
        providers.test(provider, model, &mut |step| told(step.into())).await
    }

    /// As [`Engine::models`], with what the local servers list now; asks them all at once, for about two seconds.
    ///
    /// # Errors
    /// When the configuration has an error.
    pub async fn live_models(&self) -> Result<LiveModelList, Fault> {
        let mut models = self.models()?;
        let mut silent = Vec::new();
        for live in self.providers(&self.user_config()?).live_models().await {
            match live.models {
                Ok(listed) => listed.into_iter().for_each(|info| put(&mut models, info.into())),
                Err(fault) => silent.push(SilentProvider {
                    provider: live.provider,
                    code: fault.code,
                    message: fault.message,
                    hint: fault.hint,
                }),
            }
        }
        Ok(LiveModelList { models, silent })
    }
}

/// In the place of what was known without asking, else after the last model of its provider.
fn put(models: &mut Vec<ModelEntry>, live: ModelEntry) {
    if let Some(known) = models.iter_mut().find(|known| known.id == live.id) {
        *known = live;
        return;
    }
    let place = models.iter().rposition(|known| known.provider == live.provider).map_or(models.len(), |last| last + 1);
    models.insert(place, live);
}
