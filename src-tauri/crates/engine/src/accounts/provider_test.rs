//! Asking providers what only they can say: whether they work, and which models a local one has.

use crate::Accounts;
use crate::accounts::model_entry::model_entry;
use arki_api::{LiveModelList, ModelEntry, ProviderTestState, ProviderTestStep, ProviderTestStepName, SilentProvider};
use arki_domain::Error;
use arki_llm::{Providers, TestOutcome, TestStep, TestStepName};
use arki_redaction::Redactor;

impl Accounts {
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
    ) -> Result<bool, Error> {
        let config = self.user_config()?;
        self.keys.redact_environment(&config.providers);
        // Made anew: neither a key that was replaced meanwhile nor a busy queue should decide the test.
        let providers = Providers::new(config.providers, self.keys.clone());
        providers.test(provider, model, &mut |step| on_step(redacted(ended_step(step), &self.redactor))).await
    }

    /// Lists models like [`Accounts::models`], with what the local servers list now; asks them all at once, for about
    /// two seconds.
    ///
    /// # Errors
    /// When the configuration has an error.
    pub async fn live_models(&self) -> Result<LiveModelList, Error> {
        let mut models = self.models()?;
        let mut silent = Vec::new();
        for live in self.providers(&self.user_config()?).live_models().await {
            match live.models {
                Ok(listed) => listed.into_iter().for_each(|info| put(&mut models, model_entry(info))),
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

/// Puts a model in the place of what was known without asking, or after the last model of its provider.
fn put(models: &mut Vec<ModelEntry>, live: ModelEntry) {
    if let Some(known) = models.iter_mut().find(|known| known.id == live.id) {
        *known = live;
        return;
    }
    let place = models.iter().rposition(|known| known.provider == live.provider).map_or(models.len(), |last| last + 1);
    models.insert(place, live);
}

fn ended_step(step: TestStep) -> ProviderTestStep {
    let (state, message, code, hint) = match step.outcome {
        TestOutcome::Ok(words) => (ProviderTestState::Ok, words, None, None),
        TestOutcome::Skipped(words) => (ProviderTestState::Skipped, words, None, None),
        TestOutcome::Failed(fault) => (ProviderTestState::Failed, fault.message, Some(fault.code), Some(fault.hint)),
    };
    let duration_ms = u64::try_from(step.duration.as_millis()).unwrap_or(u64::MAX);
    ProviderTestStep { step: name(step.name), state, duration_ms, message, code, hint }
}

/// A server may repeat a key, also another's, in what it says.
fn redacted(step: ProviderTestStep, redactor: &Redactor) -> ProviderTestStep {
    let redacted = |text: String| redactor.redact(&text).into_owned();
    ProviderTestStep { message: redacted(step.message), hint: step.hint.map(redacted), ..step }
}

fn name(name: TestStepName) -> ProviderTestStepName {
    match name {
        TestStepName::Settings => ProviderTestStepName::Settings,
        TestStepName::Key => ProviderTestStepName::Key,
        TestStepName::Reach => ProviderTestStepName::Reach,
        TestStepName::Tls => ProviderTestStepName::Tls,
        TestStepName::Models => ProviderTestStepName::Models,
        TestStepName::Model => ProviderTestStepName::Model,
        TestStepName::Answer => ProviderTestStepName::Answer,
    }
}
